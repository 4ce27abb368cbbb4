// The table of docs/dialects/messages.md names everything in the SDK's types, and what it says is true.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import { messagesDialect } from '../../../../../src-main/core/gateway/dialects/messages/messagesDialect.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { wholeReply } from '../../../../helpers/replies.ts'
import { sampleOf } from './helpers/samples.ts'
import { withSdkTypes } from './helpers/sdkTypes.ts'
import { chunk, details, parseSent, type Sent, sent, translate } from './helpers/streams.ts'

const file = new URL('../../../../../docs/dialects/messages.md', import.meta.url)

/** One row of a table in `docs/dialects/messages.md`. */
interface TableRow {
  name: string
  result: string
  /** Name in `x-studio-ignored`, or an empty string. */
  trace: string
}

/** All rows whose first cell is a name, in the sections of `docs/dialects/messages.md` from one heading up to another. */
function rowsOf(from: string, to: string): TableRow[] {
  const text = readFileSync(file, 'utf8')
  const start = text.indexOf(`\n## ${from}\n`)
  const end = text.indexOf(`\n## ${to}\n`)
  if (start === -1 || end <= start) throw new Error(`The document has no section from ${from} to ${to}.`)
  return text
    .slice(start, end)
    .split('\n')
    .flatMap((line) => {
      const [, name, result, , trace] = line.split('|').map((cell) => cell.trim())
      // Rows of other tables, headings and separators have no name in code format.
      if (name === undefined || result === undefined || !/^`[^`]+`$/.test(name)) return []
      return [{ name: name.slice(1, -1), result, trace: (trace ?? '').replaceAll('`', '') }]
    })
}

const requestRows = [...rowsOf('Request fields', 'Content blocks'), ...rowsOf('Tools', 'Replies')]
const blockRows = rowsOf('Content blocks', 'Tools')
const replyRows = rowsOf('Replies', 'Token counts')

/** Fields of every block, which have one row in common. */
const common = new Set(['type', 'cache_control'])

describe('the table names', () => {
  let expected: { requests: string[]; blocks: string[]; replies: string[] }

  beforeAll(() => {
    expected = withSdkTypes((types) => {
      const properties = (name: string, prefix: string) =>
        types
          .properties(name)
          .filter((property) => !common.has(property))
          .map((property) => prefix + property)
      const typesOf = (name: string, prefix: string) => types.literals(name, 'type').map((type) => prefix + type)
      const translatedBlocks: [name: string, block: string][] = [
        ['TextBlockParam', 'text'],
        ['ImageBlockParam', 'image'],
        ['DocumentBlockParam', 'document'],
        ['RequestDocumentBlock', 'document'],
        ['SearchResultBlockParam', 'search_result'],
        ['ToolUseBlockParam', 'tool_use'],
        ['ToolResultBlockParam', 'tool_result'],
        ['CompactionBlockParam', 'compaction'],
        ['RequestToolAdditionBlock', 'tool_addition'],
        ['RequestToolRemovalBlock', 'tool_removal'],
      ]
      return {
        requests: [
          ...types.properties('MessageCreateParamsBase'),
          ...types.properties('MessageCountTokensParams'),
          ...properties('ThinkingConfigParam', 'thinking.'),
          ...typesOf('ThinkingConfigParam', 'thinking.type: '),
          ...properties('OutputConfig', 'output_config.'),
          ...types.literals('OutputConfig', 'effort').map((value) => `output_config.effort: ${value}`),
          ...types.properties('JSONOutputFormat').map((property) => `output_config.format.${property}`),
          ...properties('MessageParam', 'messages[].'),
          ...types.literals('MessageParam', 'role').map((role) => `messages[].role: ${role}`),
          ...properties('Tool', 'tools[].'),
          ...typesOf('ToolUnion', 'tools[].type: '),
          ...properties('ToolChoice', 'tool_choice.'),
          ...typesOf('ToolChoice', 'tool_choice.type: '),
        ],
        blocks: [
          ...typesOf('ContentBlockParam', ''),
          ...translatedBlocks.flatMap(([name, block]) => properties(name, `${block}.`)),
          ...types.typesIn('ImageBlockParam', 'source').map((type) => `image.source: ${type}`),
          ...types.typesIn('RequestDocumentBlock', 'source').map((type) => `document.source: ${type}`),
          ...types.typesIn('ToolResultBlockParam', 'content').map((type) => `tool_result.content: ${type}`),
          ...types.typesIn('RequestToolAdditionBlock', 'tool').map((type) => `tool_addition.tool: ${type}`),
          ...types.typesIn('RequestToolRemovalBlock', 'tool').map((type) => `tool_removal.tool: ${type}`),
          ...types.typesIn('SystemMessageParam', 'content'),
        ],
        replies: [
          ...typesOf('RawMessageStreamEvent', 'event: '),
          ...typesOf('RawContentBlockDelta', 'delta: '),
          ...typesOf('ContentBlock', 'block: '),
          ...types.values('StopReason').map((reason) => `stop_reason: ${reason}`),
          ...types.properties('Message').map((property) => `message.${property}`),
          ...types.properties('Usage').map((property) => `usage.${property}`),
          ...types.properties('MessageDeltaUsage').map((property) => `usage.${property}`),
        ],
      }
    })
  })

  const missing = (names: string[], rows: { name: string }[]) => {
    // Otherwise nothing was read.
    expect(names.length).toBeGreaterThan(40)
    const known = new Set(rows.map(({ name }) => name))
    return [...new Set(names)].filter((name) => !known.has(name))
  }

  it('every field and tool type of the SDK', () => {
    expect(missing(expected.requests, requestRows)).toEqual([])
  })

  it('every content block type of the SDK, and every field of those that are translated', () => {
    expect(missing(expected.blocks, blockRows)).toEqual([])
  })

  it('every event, delta, block, stop reason and field of a reply', () => {
    expect(missing(expected.replies, replyRows)).toEqual([])
  })

  it('nothing twice', () => {
    for (const rows of [requestRows, blockRows, replyRows]) {
      const names = rows.map(({ name }) => name)
      expect(names).toEqual([...new Set(names)])
    }
  })
})

/** What `translate` does with a request. */
function outcomeOf(body: JsonObject): { chat: string; ignored: string[] } | { refused: string | null } {
  try {
    const { chat, ignored } = messagesDialect.translate(body)
    return { chat: JSON.stringify(chat), ignored }
  } catch (thrown) {
    if (thrown instanceof DialectError) return { refused: thrown.problem.param }
    throw thrown
  }
}

const rows = [
  ...requestRows.map((row) => ({ ...row, isBlock: false })),
  ...blockRows.map((row) => ({ ...row, isBlock: true })),
]

describe('the table is true', () => {
  it.each(rows)('$name is $result', ({ name, result, trace, isBlock }) => {
    const sample = sampleOf(name, result, isBlock)
    if (sample === null) throw new Error(`There is no sample request for ${name}.`)
    const present = outcomeOf(sample.present)
    const absent = outcomeOf(sample.absent)
    if ('refused' in absent) throw new Error(`The request without ${name} was refused.`)
    if (result === 'refused') {
      expect(present).toMatchObject({ refused: expect.stringMatching(/^[a-z]/) })
      return
    }
    if ('refused' in present) throw new Error(`The request was refused at ${present.refused}.`)
    expect(present.ignored.filter((each) => !absent.ignored.includes(each))).toEqual(trace === '' ? [] : [trace])
    // A prefilled reply is sent, but not continued.
    if (result === 'ignored' && name !== 'prefill') expect(present.chat).toBe(absent.chat)
    else expect(present.chat).not.toBe(absent.chat)
  })

  it('about replies', async () => {
    const call = { tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '{}' } }] }
    const deltas = [{ reasoning: 'a' }, { content: 'b' }, call]
    const reasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call', 'anything', 'error']
    const events: Sent[] = []
    for (const reason of reasons) {
      events.push(...(await sent([...deltas.map((delta) => chunk(delta)), chunk({}, reason)])))
      events.push(...(await sent([chunk({ content: 'b' }), chunk({}, reason)])))
    }
    const whole = wholeReply(translate(), { choices: [{ message: { content: 'b' } }] }, details)
    const seen = new Set([
      ...events.map(({ type }) => `event: ${type}`),
      ...events.flatMap(({ delta, type }) =>
        type === 'content_block_delta' ? [`delta: ${String((delta as JsonObject).type)}`] : [],
      ),
      ...events.flatMap(({ content_block }) =>
        content_block === undefined ? [] : [`block: ${String((content_block as JsonObject).type)}`],
      ),
      ...events.flatMap(({ type, delta }) =>
        type === 'message_delta' ? [`stop_reason: ${String((delta as JsonObject).stop_reason)}`] : [],
      ),
      ...Object.keys(whole).map((key) => `message.${key}`),
      ...Object.keys(whole.usage as JsonObject).map((key) => `usage.${key}`),
    ])
    expect(parseSent('')).toEqual([])
    expect([...seen].sort()).toEqual(replyRows.flatMap(({ name, result }) => (result === 'sent' ? [name] : [])).sort())
  })
})
