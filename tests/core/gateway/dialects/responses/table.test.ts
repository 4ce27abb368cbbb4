import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import { translateCompaction } from '../../../../../src-main/core/gateway/dialects/responses/compaction.ts'
import { summaryContent } from '../../../../../src-main/core/gateway/dialects/responses/compactionContent.ts'
import { translateResponses } from '../../../../../src-main/core/gateway/dialects/responses/responses.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { eventsIn, wholeReply } from '../../../../helpers/replies.ts'
import { anyDeltas, chunk, details, finishReason, sentEvents, toolRequest, translated, wireOf } from './chatStream.ts'
import { interfaceOfMember, interfacesOf, membersOf, typesOf, valuesOf, valuesOfMember } from './sdkTypes.ts'

const page = readFileSync(new URL('../../../../../docs/dialects/responses.md', import.meta.url), 'utf8')

interface Row {
  verdict: string
  how: string
}

/** The table below a heading, by the name in its first column. */
function table(heading: string): Map<string, Row> {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`The page has no section ${heading}`)
  return new Map(
    [...section.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ?([^|]*)\|$/gm)].map(([, name = '', verdict = '', how = '']) => [
      name,
      { verdict, how },
    ]),
  )
}

const fields = table('Request fields')
const items = table('Input items')
const contents = table('Content')
const tools = table('Tools')
const choices = table('Tool choice')
const events = table('Events')
const members = table('Response')
const compactionFields = table('Compaction fields')
const compactedMembers = table('Compacted response')

/** Members of all alternatives of a union that have a type, by type. */
function membersByType(union: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const name of interfacesOf(union)) {
    for (const type of typesOf(name)) found.set(type, new Set([...(found.get(type) ?? []), ...membersOf(name)]))
  }
  return found
}

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort()
const withVerdict = (rows: Map<string, Row>, verdict: string): string[] =>
  [...rows].filter(([, row]) => row.verdict === verdict).map(([name]) => name)

/** `supported`, the ignored names, or the field that was refused. */
function outcome(body: JsonObject): { verdict: string; ignored: string[]; param: string | null } {
  try {
    const previous = body.previous_response_id === undefined ? null : []
    const stored = {
      previous,
      item: (id: string) => (id === 'msg_1' ? { type: 'message', role: 'user', content: 'x' } : null),
    }
    const { ignored } = translateResponses({ model: 'm', input: 'x', ...body }, stored)
    return { verdict: ignored.length === 0 ? 'supported' : 'ignored', ignored, param: null }
  } catch (thrown) {
    if (!(thrown instanceof DialectError)) throw thrown
    return { verdict: 'refused', ignored: [], param: thrown.problem.param }
  }
}

describe('the table of the Responses API has every', () => {
  it('request field of the official types, and the members of those that are read', () => {
    const params = 'ResponseCreateParamsBase'
    const names = membersOf(params).flatMap((field) => {
      const type =
        fields.get(field)?.verdict === 'refused' || hasOneTrace(field) ? null : interfaceOfMember(params, field)
      return [field, ...(type === null ? [] : membersOf(type).map((member) => `${field}.${member}`))]
    })
    expect(sorted(fields.keys())).toEqual(sorted(names))
  })

  it.each([
    ['input item', 'ResponseInputItem', items],
    ['content type', 'ResponseContent', contents],
    ['tool type', 'Tool', tools],
  ])('%s of the official types, and each member of those that are supported', (_, union, rows) => {
    const types = membersByType(union)
    expect(sorted(rows.keys())).toEqual(sorted(types.keys()))
    for (const [type, each] of types) {
      if (rows.get(type)?.verdict !== 'supported') continue
      const named = [...(rows.get(type)?.how ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)
      for (const member of each) if (member !== 'type') expect(named, `${type}.${member}`).toContain(member)
    }
  })

  it('tool choice of the official types', () => {
    const objects = [
      'ToolChoiceAllowed',
      'ToolChoiceTypes',
      'ToolChoiceFunction',
      'ToolChoiceMcp',
      'ToolChoiceCustom',
      'ToolChoiceApplyPatch',
      'ToolChoiceShell',
      'ResponseCreateParams.SpecificProgrammaticToolCallingParam',
    ]
    // All alternatives of the field, so that a new one is noticed.
    expect(valuesOfMember('ResponseCreateParamsBase', 'tool_choice')).toEqual(valuesOf('ToolChoiceOptions'))
    expect(sorted(choices.keys())).toEqual(sorted([...valuesOf('ToolChoiceOptions'), ...objects.flatMap(typesOf)]))
  })

  it('event of the official types', () => {
    expect(sorted(events.keys())).toEqual(sorted(membersByType('ResponseStreamEvent').keys()))
  })

  it('member of the Response object', () => {
    expect(sorted(members.keys())).toEqual(sorted(membersOf('Response')))
  })

  it('field of a request for compaction, and member of its reply', () => {
    expect(sorted(compactionFields.keys())).toEqual(sorted(membersOf('ResponseCompactParams')))
    expect(sorted(compactedMembers.keys())).toEqual(sorted(membersOf('CompactedResponse')))
  })
})

/** Whether an ignored field is listed as a whole. */
const hasOneTrace = (field: string): boolean => {
  const row = fields.get(field)
  return row?.verdict === 'ignored' && row.how.startsWith(`\`${field}\``)
}

/** A value of each request field that is not the default. */
const values: Record<string, JsonObject> = {
  access_programs: { access_programs: { cyber: 'standard' } },
  background: { background: true },
  context_management: { context_management: [{ type: 'compaction' }] },
  conversation: { conversation: 'conv_1' },
  image: { image: { context_compression: 'auto' } },
  include: { include: ['reasoning.encrypted_content'] },
  input: { input: 'Hello' },
  instructions: { instructions: 'Be brief.' },
  max_output_tokens: { max_output_tokens: 9 },
  max_tool_calls: { max_tool_calls: 2 },
  metadata: { metadata: { a: 'b' } },
  model: { model: 'other' },
  moderation: { moderation: { model: 'omni-moderation-latest' } },
  parallel_tool_calls: { parallel_tool_calls: false, tools: [{ type: 'function', name: 'f' }] },
  previous_response_id: { previous_response_id: 'resp_1' },
  prompt: { prompt: { id: 'pmpt_1' } },
  prompt_cache_key: { prompt_cache_key: 'k' },
  prompt_cache_options: { prompt_cache_options: { mode: 'explicit' } },
  'prompt_cache_options.comparison_response_id': { prompt_cache_options: { comparison_response_id: 'resp_1' } },
  'prompt_cache_options.mode': { prompt_cache_options: { mode: 'explicit' } },
  'prompt_cache_options.prewarm': { prompt_cache_options: { prewarm: true } },
  'prompt_cache_options.ttl': { prompt_cache_options: { ttl: '12h' } },
  prompt_cache_retention: { prompt_cache_retention: '24h' },
  reasoning: { reasoning: { effort: 'low' } },
  'reasoning.context': { reasoning: { context: 'all_turns' } },
  'reasoning.effort': { reasoning: { effort: 'low' } },
  'reasoning.generate_summary': { reasoning: { generate_summary: 'auto' } },
  'reasoning.mode': { reasoning: { mode: 'pro' } },
  'reasoning.summary': { reasoning: { summary: 'auto' } },
  safety_identifier: { safety_identifier: 's' },
  service_tier: { service_tier: 'flex' },
  store: { store: false },
  stream: { stream: true },
  stream_options: { stream_options: { include_obfuscation: true } },
  'stream_options.include_obfuscation': { stream_options: { include_obfuscation: true } },
  temperature: { temperature: 0.5 },
  text: { text: { verbosity: 'low' } },
  'text.format': { text: { format: { type: 'json_schema', name: 'n', schema: {} } } },
  'text.verbosity': { text: { verbosity: 'low' } },
  tool_choice: { tool_choice: 'none', tools: [{ type: 'function', name: 'f' }] },
  tools: { tools: [{ type: 'function', name: 'f' }] },
  top_logprobs: { top_logprobs: 3 },
  top_p: { top_p: 0.5 },
  truncation: { truncation: 'auto' },
  user: { user: 'u' },
}

/** What a supported field adds to the request for the service. The others change the reply, or what is stored. */
const sent: Record<string, JsonObject> = {
  input: { messages: [{ role: 'user', content: 'Hello' }] },
  instructions: {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'x' },
    ],
  },
  max_output_tokens: { max_tokens: 9 },
  model: { model: 'other' },
  parallel_tool_calls: { parallel_tool_calls: false },
  prompt_cache_key: { prompt_cache_key: 'k' },
  reasoning: { reasoning_effort: 'low' },
  'reasoning.effort': { reasoning_effort: 'low' },
  safety_identifier: { safety_identifier: 's' },
  service_tier: { service_tier: 'flex' },
  stream: { stream: true, stream_options: { include_usage: true } },
  temperature: { temperature: 0.5 },
  text: { verbosity: 'low' },
  'text.format': { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } } },
  'text.verbosity': { verbosity: 'low' },
  tool_choice: { tool_choice: 'none' },
  tools: { tools: [{ type: 'function', function: { name: 'f' } }] },
  top_p: { top_p: 0.5 },
  user: { user: 'u' },
}

describe('the verdict is true for', () => {
  it.each([...fields])('the request field %s', (field, { verdict, how }) => {
    const body = values[field]
    expect(body, 'a value of this field').toBeDefined()
    const result = outcome(body ?? {})
    expect(result.verdict).toBe(verdict)
    if (verdict === 'refused') expect(result.param).toBe(field)
    if (verdict === 'ignored') {
      expect(result.ignored).toEqual([expect.stringContaining(field)])
      if (how.startsWith('`')) expect(how).toContain(`\`${result.ignored[0]}\``)
    }
  })

  it.each(Object.entries(sent))('what the service receives of %s', (field, chat) => {
    expect(translateResponses({ model: 'm', input: 'x', ...values[field] }).chat).toMatchObject(chat)
  })

  it('null in any field, which is the same as no field', () => {
    const body = Object.fromEntries(membersOf('ResponseCreateParamsBase').map((field) => [field, null]))
    const absent = translateResponses({ model: 'm', input: 'x' })
    const request = translateResponses({ ...body, model: 'm', input: 'x' })
    expect(request.chat).toEqual(absent.chat)
    expect(request.ignored).toEqual([])
    expect(wholeReply(request, {}, details)).toEqual(wholeReply(absent, {}, details))
  })

  it.each([
    ['model', { model: '' }],
    ['model', { model: null }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['max_output_tokens', { max_output_tokens: 1.5 }],
    ['max_output_tokens', { max_output_tokens: 2 ** 53 }],
    ['temperature', { temperature: '1' }],
    ['stream', { stream: 'true' }],
    ['store', { store: 1 }],
    ['instructions', { instructions: [] }],
    ['metadata.a', { metadata: { a: 1 } }],
    ['include', { include: 'x' }],
    ['include[0]', { include: [1] }],
    ['reasoning', { reasoning: 'high' }],
    ['reasoning.effort', { reasoning: { effort: 3 } }],
    ['text.format', { text: { format: 'json' } }],
    ['text.format.type', { text: { format: { type: 'yaml' } } }],
    ['text.format.name', { text: { format: { type: 'json_schema', schema: {} } } }],
    ['text.format.schema', { text: { format: { type: 'json_schema', name: 'n', schema: [] } } }],
    ['previous_response_id', { previous_response_id: 7 }],
    ['parallel_tool_calls', { parallel_tool_calls: 'no' }],
  ])('a wrong value of %s, which is refused: %j', (param, body) => {
    expect(outcome(body)).toMatchObject({ verdict: 'refused', param })
  })

  it('fields that the table does not have', () => {
    expect(outcome(JSON.parse('{"brand_new":1,"__proto__":{"a":1},"bad\\r\\nname":true}')).ignored).toEqual([
      'brand_new',
      '__proto__',
      'bad??name',
    ])
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`field${at}`, at]))
    expect(outcome(many).ignored).toHaveLength(65)
    expect(outcome(many).ignored.at(-1)).toBe('and_36_more')
  })

  it('the included values', () => {
    for (const value of valuesOf('ResponseIncludable')) {
      const isRead = ['message.input_image.image_url', 'reasoning.encrypted_content'].includes(value)
      const expected = isRead ? [] : [`include.${value}`]
      expect(outcome({ include: [value] }).ignored).toEqual(expected)
    }
  })

  const samples: Record<string, JsonObject[]> = {
    message: [{ role: 'user', content: 'x' }],
    function_call: [
      { call_id: 'a', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: 'x' },
    ],
    function_call_output: [
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      { call_id: 'a', output: 'x' },
    ],
    custom_tool_call: [
      { call_id: 'a', name: 'f', input: '' },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'x' },
    ],
    custom_tool_call_output: [
      { type: 'custom_tool_call', call_id: 'a', name: 'f', input: '' },
      { call_id: 'a', output: 'x' },
    ],
    reasoning: [
      { summary: [{ type: 'summary_text', text: 'x' }] },
      { type: 'message', role: 'assistant', content: 'x' },
    ],
    item_reference: [{ id: 'msg_1' }],
    additional_tools: [{ role: 'developer', tools: [{ type: 'function', name: 'f' }] }],
    configuration_update: [{ reasoning: { effort: 'low' } }],
    compaction: [{ encrypted_content: summaryContent('x') }],
    compaction_trigger: [{}],
    shell_call: [
      { call_id: 'a', action: { commands: ['ls'] } },
      { type: 'shell_call_output', call_id: 'a', output: [] },
    ],
    shell_call_output: [
      { type: 'shell_call', call_id: 'a', action: { commands: ['ls'] } },
      { call_id: 'a', output: [] },
    ],
    local_shell_call: [
      { call_id: 'a', action: { type: 'exec', command: ['ls'], env: {} } },
      { type: 'local_shell_call_output', id: 'a', output: 'x' },
    ],
    local_shell_call_output: [
      { type: 'local_shell_call', call_id: 'a', action: { type: 'exec', command: ['ls'], env: {} } },
      { id: 'a', output: 'x' },
    ],
    tool_search_call: [
      { execution: 'client', call_id: 'a', arguments: { query: 'x' } },
      { type: 'tool_search_output', execution: 'client', call_id: 'a', tools: [] },
    ],
    tool_search_output: [
      { type: 'tool_search_call', execution: 'client', call_id: 'a', arguments: { query: 'x' } },
      { execution: 'client', call_id: 'a', tools: [] },
    ],
    apply_patch_call: [
      { call_id: 'a', operation: { type: 'delete_file', path: 'x' }, status: 'completed' },
      { type: 'apply_patch_call_output', call_id: 'a', status: 'completed' },
    ],
    apply_patch_call_output: [
      { type: 'apply_patch_call', call_id: 'a', operation: { type: 'delete_file', path: 'x' }, status: 'completed' },
      { call_id: 'a', status: 'completed' },
    ],
  }

  it.each([...items])('the input item %s', (type, { verdict }) => {
    const input = (samples[type] ?? [{ id: 'x' }]).map((item) => ({ type, ...item }))
    const result = outcome({ input: [{ role: 'user', content: 'x' }, ...input] })
    expect(result.verdict).toBe(verdict === 'noted' ? 'ignored' : verdict)
    if (verdict === 'ignored' || verdict === 'noted') expect(result.ignored).toEqual([`input.${type}`])
    if (verdict === 'refused') expect(result.param).toBe('input[1].type')
  })

  it.each(
    [...items, ...contents].filter(([, { verdict, how }]) => verdict === 'supported' && how.includes('(`input.')),
  )('the ignored members of %s', (type, { how }) => {
    const ignored = [...how.matchAll(/`input\.(\w+)`/g)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'reasoning')
    const more = Object.fromEntries(ignored.map((name) => [name, ['x']]))
    const part = { type, text: 'x', image_url: 'x', file_data: 'eHh4', ...more }
    const input = contents.has(type)
      ? [{ role: 'user', content: [type === 'input_image' ? { ...part, detail: 'low' } : part] }]
      : (samples[type] ?? []).map((item) => ({
          type,
          ...(item.type === undefined || item.type === type ? more : {}),
          ...item,
        }))
    expect(sorted(outcome({ input: [{ role: 'user', content: 'x' }, ...input] }).ignored)).toEqual(
      sorted(ignored.map((name) => `input.${name}`)),
    )
  })

  it.each([...tools])('the tool %s', (type, { verdict }) => {
    const result = outcome({ tools: [{ type, name: 'f', description: '', tools: [] }] })
    if (verdict === 'ignored') expect(result.ignored).toEqual([`tools.${type}`])
    else expect(result.verdict).not.toBe('refused')
    expect(['supported', 'ignored']).toContain(verdict)
  })

  it.each([...choices])('the tool choice %s', (choice, { verdict }) => {
    const request = [
      { type: 'function', name: 'f' },
      { type: 'custom', name: 'g' },
      { type: 'shell' },
      { type: 'apply_patch' },
    ]
    const value = valuesOf('ToolChoiceOptions').includes(choice)
      ? choice
      : { type: choice, name: choice === 'custom' ? 'g' : 'f', mode: 'auto', tools: [{ type: 'function', name: 'f' }] }
    const result = outcome({ tools: request, tool_choice: value })
    expect(result.verdict).toBe(verdict)
    if (verdict === 'refused') expect(result.param).toBe('tool_choice.type')
  })

  it('the members of the Response object', () => {
    const response = wholeReply(translateResponses({ model: 'm', input: 'x' }), {}, details)
    const listed = withVerdict(members, 'present')
    const official = Object.keys(response).filter((member) => members.has(member))
    expect(sorted(official)).toEqual(sorted(listed))
  })

  it.each([...compactionFields])('the field %s of a request for compaction', (field, { verdict }) => {
    const stored = { previous: [{ role: 'user', content: 'before' }], item: () => null }
    const { ignored, chat } = translateCompaction({ model: 'm', input: 'x', ...values[field] }, details.id, stored)
    expect(ignored).toEqual(verdict === 'ignored' ? [field] : [])
    const sentFields: Record<string, JsonObject> = {
      ...sent,
      input: {},
      instructions: {},
      previous_response_id: {},
    }
    if (verdict === 'supported') expect(chat).toMatchObject(sentFields[field] ?? {})
  })

  it('the members of a compacted response', () => {
    const chat = { choices: [{ message: { content: 'Summary' }, finish_reason: 'stop' }] }
    const reply = wholeReply(translateCompaction({ model: 'm', input: 'x' }, details.id), chat, details)
    expect(sorted(Object.keys(reply))).toEqual(sorted(withVerdict(compactedMembers, 'present')))
  })

  it('the events', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        anyDeltas,
        fc.option(finishReason, { nil: null }),
        fc.boolean(),
        async (deltas, reason, summarizes) => {
          const request = { ...toolRequest, reasoning: { summary: summarizes ? 'auto' : null } }
          const chunks = [...deltas.map((delta) => chunk(delta)), chunk({}, reason)]
          const events = eventsIn(Buffer.from(wireOf(chunks)))
          for (const { type } of sentEvents(translated(translateResponses(request).openReply(details, false), events)))
            seen.add(type)
        },
      ),
      { numRuns: 300 },
    )
    expect(sorted(seen)).toEqual(sorted(withVerdict(events, 'sent')))
  })
})
