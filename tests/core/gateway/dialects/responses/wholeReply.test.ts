import { describe, expect, it } from 'vitest'
import { translateResponses } from '../../../../../src-main/core/gateway/dialects/responses/responses.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { wholeReply } from '../../../../helpers/replies.ts'
import { details, toolRequest } from './chatStream.ts'

describe('a reply that is not streamed', () => {
  const reply = (chat: JsonObject, given: typeof details) => wholeReply(translateResponses(toolRequest), chat, given)
  const message = {
    role: 'assistant',
    content: 'Hi',
    reasoning_content: 'Hm',
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'write', arguments: '{"input":"x"}' } }],
  }

  it('has reasoning, text and calls in this order', () => {
    const response = reply(
      { model: 'service-model', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] },
      details,
    )
    expect(response).toMatchObject({
      status: 'completed',
      model: 'service-model',
      completed_at: 1_700_000_009,
      output: [{ type: 'reasoning' }, { type: 'message' }, { type: 'custom_tool_call', input: 'x' }],
    })
  })

  it('is complete without a finish reason, which the specification lets be absent', () => {
    expect(reply({ choices: [{ message }] }, details)).toMatchObject({ status: 'completed', model: 'asked-model' })
  })

  it.each([[{}], [{ choices: [] }], [{ choices: 7 }], [{ choices: [null, 7] }]])('is a failure for %j', (chat) => {
    expect(reply(chat, details)).toMatchObject({ status: 'failed', output: [], error: { code: 'invalid_prompt' } })
  })

  it('has no time of completion where none is known', () => {
    const { completedAt: _, ...timeless } = details
    expect(reply({ choices: [{ message }] }, timeless)).toMatchObject({ status: 'completed', completed_at: null })
  })
})
