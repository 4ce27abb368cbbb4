import { expect, it } from 'vitest'
import { titleOf } from '../../../../../src-renderer/features/chat/export/labels.ts'

it.each([
  ['Compare the three most common ways to…', 'Compare the three most common ways to'],
  ['A plan …', 'A plan'],
  ['What is “…” in a text?', 'What is “…” in a text?'],
])('the title %j is exported as %j', (title, exported) => expect(titleOf({ title })).toBe(exported))
