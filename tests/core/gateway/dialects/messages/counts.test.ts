import { describe, expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import { modelInfo, modelList } from '../../../../../src-main/core/gateway/dialects/messages/modelList.ts'
import { estimatePromptTokens } from '../../../../../src-main/core/gateway/dialects/tokenCount.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { countTokens } from '../../../../../src-main/core/upstream/reply/tokens.ts'
import { translate } from './helpers/streams.ts'

const count = (changes: JsonObject) => estimatePromptTokens(translate(changes).chat)
const sentence = 'The quick brown fox jumps over the lazy dog. '

describe('count_tokens', () => {
  it('is the count of the tokenizer plus a little for each message', () => {
    const text = sentence.repeat(50)
    const counted = count({ messages: [{ role: 'user', content: text }] })
    expect(counted - countTokens(text)).toBe(4)
  })

  it('is never 0, and includes instructions, tools, calls and images', () => {
    const base = count({})
    expect(base).toBeGreaterThan(0)
    expect(count({ system: sentence })).toBeGreaterThan(base + 8)
    expect(
      count({ tools: [{ name: 'read', description: sentence, input_schema: { type: 'object' } }] }),
    ).toBeGreaterThan(base + 20)
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(100_000) } }
    const withImage = count({ messages: [{ role: 'user', content: [image] }] })
    expect(withImage).toBeGreaterThanOrEqual(1_000)
    expect(withImage).toBeLessThan(1_020)
    const call = { type: 'tool_use', id: 'a', name: 'read', input: { text: sentence } }
    const result = { type: 'tool_result', tool_use_id: 'a', content: sentence }
    const turns = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ]
    expect(count({ messages: turns })).toBeGreaterThan(base + 20)
  })

  it('of 5 MB is a sample that is close', () => {
    const text = sentence.repeat(111_000)
    const started = process.cpuUsage()
    const counted = count({ system: sentence.repeat(100), messages: [{ role: 'user', content: text }] })
    const cpuMs = process.cpuUsage(started).user / 1000
    const exact = countTokens(sentence.repeat(1_000)) * 111.1
    expect(Math.abs(counted - exact) / exact).toBeLessThan(0.05)
    // A whole count of this text takes more than ten times as long.
    expect(cpuMs).toBeLessThan(1_000)
  })

  it('of thousands of tiny messages is not 0', { tags: 'long' }, () => {
    const messages = Array.from({ length: 300_000 }, () => ({ role: 'user', content: 'a' }))
    expect(count({ messages })).toBeGreaterThan(300_000)
  })
})

describe('the model list', () => {
  const models = {
    object: 'list',
    data: [
      { id: 'old', created: 1_600_000_000 },
      { id: 'new', created: 1_700_000_000 },
      { id: 'undated' },
      { id: 7 },
      null,
      { id: 'old', created: 1 },
      { id: 'odd', created: 1e300 },
    ],
  }
  const page = (query: string) =>
    modelList(models, new URLSearchParams(query)) as { data: { id: string }[] } & JsonObject
  const ids = (query: string) => page(query).data.map(({ id }) => id)

  it('is in the shape of the API, newest first', () => {
    expect(ids('')).toEqual(['new', 'old', 'undated', 'odd'])
    expect(page('')).toMatchObject({ first_id: 'new', last_id: 'odd', has_more: false })
    expect(page('').data[0]).toMatchObject({ type: 'model', display_name: 'new', created_at: '2023-11-14T22:13:20Z' })
    expect(page('').data[2]).toMatchObject({ created_at: '1970-01-01T00:00:00Z' })
  })

  it('has pages in both directions', () => {
    expect(page('limit=2')).toMatchObject({ last_id: 'old', has_more: true })
    expect(ids('limit=2&after_id=old')).toEqual(['undated', 'odd'])
    expect(page('limit=2&after_id=old').has_more).toBe(false)
    expect(ids('limit=2&before_id=odd')).toEqual(['old', 'undated'])
    expect(page('limit=2&before_id=odd').has_more).toBe(true)
    expect(page('limit=5&before_id=new')).toEqual({ data: [], first_id: null, last_id: null, has_more: false })
  })

  it.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'limit=',
    'after_id=none',
    'before_id=none',
    'after_id=old&before_id=new',
  ])('refuses %s', (query) => {
    expect(() => page(query)).toThrow(DialectError)
  })

  it('has single models, and is empty for any other shape', () => {
    expect(modelInfo(models, 'old')).toMatchObject({ id: 'old', lifecycle: 'active' })
    expect(modelInfo(models, 'toString')).toBeNull()
    for (const odd of [null, [], 'x', { data: 7 }])
      expect(modelList(odd, new URLSearchParams())).toMatchObject({ data: [] })
  })
})
