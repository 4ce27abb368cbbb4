import type OpenAI from 'openai'
import { expect, it } from 'vitest'
import { openOpenAiClient } from './helpers/service.ts'

// The official package compacts a conversation and continues it, with only the two settings of the Local API page.
const { client } = await openOpenAiClient()

it('a conversation is compacted, and the response after it continues from the summary', async () => {
  const input = [{ role: 'user' as const, content: 'Remember the lighthouse of Pharos.' }]
  const first = await client.responses.create({ model: 'writer-small', input, max_output_tokens: 20 })
  const compacted = await client.responses.compact({ model: 'writer-small', previous_response_id: first.id })
  expect(compacted.object).toBe('response.compaction')
  expect(compacted.output.map(({ type }) => type)).toEqual(['message', 'compaction'])
  expect(compacted.usage.total_tokens).toBeGreaterThan(0)
  const next = await client.responses.create({
    model: 'mirror',
    input: [...(compacted.output as OpenAI.Responses.ResponseInputItem[]), { role: 'user', content: 'Where is it?' }],
  })
  expect(next.status).toBe('completed')
  // The model that repeats its request saw the message of the user, the summary and the question.
  expect(next.output_text).toContain('3 messages')
})

it('content of another service becomes a note, and the conversation goes on', async () => {
  const foreign = await client.responses.create({
    model: 'mirror',
    input: [
      { type: 'compaction', encrypted_content: 'gAAAAABpM0Yj' },
      { role: 'user', content: 'Where is it?' },
    ],
  })
  expect([foreign.status, foreign.output_text]).toEqual(['completed', expect.stringContaining('2 messages')])
})
