import { describe, expect, it } from 'vitest'
import { emptySetup } from '../../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { refusalOf } from '../../../../src-renderer/features/chat/composer/refusals.ts'
import { message } from './harness/scenes.ts'

const offering = { ...emptySetup, tools: { enabled: ['function:a'], choice: 'auto' as const, parallel: null } }
const picture = {
  mediaId: message(50, {}).id,
  mime: 'image/png',
  name: 'a.png',
  bytes: 1,
  width: 1,
  height: 1,
  detail: 'auto' as const,
}
const turn = message(2, { role: 'user' })
const refused = (problem: Partial<Problem>) =>
  message(3, {
    parentId: turn.id,
    model: 'writer-small',
    status: 'failed',
    problem: { kind: 'invalid_request', message: 'Refused.', status: 400, ...problem },
  })

describe('the cause of a refusal', () => {
  it("is the tools when the service's message names them and some were offered", () => {
    const last = refused({ said: 'The model writer-small does not support tools.' })
    expect(refusalOf([turn, last], offering)).toEqual({ model: 'writer-small', able: 'tools' })
    expect(refusalOf([turn, last], emptySetup)).toBeNull()
    expect(refusalOf([turn, last], { ...offering, tools: { ...offering.tools, choice: 'none' } })).toBeNull()
    expect(refusalOf([turn, refused({ said: 'max_tokens is too large.' })], offering)).toBeNull()
  })

  it('is the pictures when the turn had some, and nothing for other statuses', () => {
    const shown = { ...turn, attachments: [picture] }
    expect(refusalOf([shown, refused({ said: 'No images.' })], emptySetup)).toEqual({
      model: 'writer-small',
      able: 'pictures',
    })
    expect(refusalOf([shown, refused({ status: 429 })], emptySetup)).toBeNull()
    expect(refusalOf([shown, { ...refused({}), status: 'stopped' }], emptySetup)).toBeNull()
    expect(refusalOf([turn, refused({})], emptySetup)).toBeNull()
    expect(refusalOf([], emptySetup)).toBeNull()
  })
})
