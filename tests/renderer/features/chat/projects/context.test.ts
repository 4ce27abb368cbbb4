import { expect, it } from 'vitest'
import { contextAfter, emptyContext } from '../../../../../src-renderer/features/chat/projects/context.ts'

it('shows nothing of the message that was just sent until the context of the next one is loaded', () => {
  const context = { ...emptyContext, indexing: 1 }
  expect(contextAfter({ leaf: 'a', context }, 'a')).toBe(context)
  expect(contextAfter({ leaf: 'a', context }, 'b')).toEqual(emptyContext)
  expect(contextAfter({ leaf: null, context }, 'a')).toEqual(emptyContext)
})
