import { type ChatSetup, emptySetup, type Message, type ToolRun } from '../../../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../../../src-preload/contract/problem.ts'
import { answer, message, nextTry } from './scenes.ts'

/** A scene with more than a path: replies side by side, or parameters. */
export interface MoreScene {
  messages: Message[]
  beside?: Message[]
  setup?: ChatSetup
}

const ask = message(0, { text: 'Name three rivers that cross a border, one line each.' })
const askId = '00000000-0000-4000-8000-00000000a5c0'
const longName =
  'an-exceptionally-long-provider-name/an-exceptionally-long-model-name-with-a-date-2026-11-21-preview-extended'
const rivers = '1. The Rhine\n2. The Danube\n3. The Mekong\n'

const running = {
  status: 'streaming',
  finishReason: null,
  usage: null,
  finishedAt: null,
  cost: null,
  costIs: 'unknown',
  createdAt: new Date(Date.now() - 4_200).toISOString(),
} as const

function columns(models: string[], over: (at: number) => Partial<Message>): MoreScene {
  const beside = models.map((model, at) =>
    message(1 + at * 2, { parentId: ask.id, askId, model, sibling: at + 1, siblings: models.length, ...over(at) }),
  )
  return { messages: [ask, ...beside.slice(0, 1)], beside }
}

export const schema = `{
  "type": "object",
  "properties": {
    "rivers": { "type": "array", "items": { "type": "string" } }
  },
  "required": ["rivers", "count"],
  "additionalProperties": false
}`

const fullSetup: ChatSetup = {
  ...emptySetup,
  instructions: 'Answer in one paragraph.\nNo lists.',
  params: {
    temperature: 0.7,
    maxTokens: 2_048,
    stop: ['\n\n', 'END'],
    n: 3,
    responseFormat: { type: 'json_schema', name: 'rivers', schema, strict: true },
    extra: { top_k: 40 },
  },
}

const tides = '00000000-0000-4000-8000-000000000071'

/** The result of a call of the MCP server Tides, as the `n`th message. */
function result(n: number, name: string, run: Partial<ToolRun>, text = ''): Message {
  const started = message(n, {}).createdAt
  return message(n, {
    ...{ role: 'tool', text, model: null, usage: null, finishReason: null, firstTokenMs: null, requestRow: null },
    ...{ requestId: null, params: null, cost: null, costIs: 'unknown' },
    run: {
      callId: `call_${n}`,
      name: `Tides_${name}`,
      arguments: '{"harbour":"Brest"}',
      state: 'done',
      tool: { id: `mcp:${tides}:${name}`, kind: 'mcp', server: 'Tides' },
      allowed: 'once',
      isError: false,
      notes: [],
      startedAt: started,
      finishedAt: started,
      ...run,
    },
  })
}

/** A reply, as the `n`th message, that calls tools of the MCP server Tides. */
const calling = (n: number, text: string, ...names: string[]): Message =>
  message(n, {
    ...{ role: 'assistant', model: 'writer-large', text, finishReason: 'tool_calls', cost: '0.0100' },
    ...{ usage: { promptTokens: 100, completionTokens: 20, totalTokens: 120, cachedTokens: 0 } },
    ...{ costIs: 'measured', requestRow: 41 + n, params: {}, requestId: `req_${n}`, firstTokenMs: 380 },
    toolCalls: names.map((name, index) => ({
      index,
      id: `call_${n + 1 + index}`,
      name: `Tides_${name}`,
      arguments: '{"harbour":"Brest"}',
    })),
  })

const asksTide = message(0, { text: 'When is the next spring tide in Brest, and how high is it?' })
const ended = (n: number, over: Partial<Message>): Message => ({ ...calling(n, ''), finishReason: 'stop', ...over })

/** Two rounds of tool calls, then `rest`, whose first message is the fifth. */
const rounds = (...rest: Message[]): MoreScene => ({
  messages: [
    asksTide,
    calling(1, 'I look up the harbour first.', 'find_harbour'),
    result(2, 'find_harbour', {}, '{"id":"FR29","name":"Brest"}'),
    calling(3, '', 'tide_height'),
    result(4, 'tide_height', {}, '{"metres":7.2,"at":"2026-11-29T05:12:00Z"}'),
    ...rest,
  ],
})

const failure = (problem: Problem, over: Partial<Message> = {}): MoreScene => ({
  messages: [
    ask,
    message(1, { status: 'failed', finishReason: null, usage: null, firstTokenMs: null, cost: null, problem, ...over }),
  ],
})

export const moreScenes: Record<string, () => MoreScene> = {
  rounds: () => rounds(ended(5, { text: 'The next spring tide in **Brest** is on Sunday at 05:12, with 7.2 m.' })),
  roundRunning: () => ({
    messages: [
      ...rounds().messages.slice(0, 4),
      result(4, 'tide_height', {
        state: 'running',
        startedAt: new Date(Date.now() - 4_000).toISOString(),
        finishedAt: null,
      }),
    ],
  }),
  roundAwaiting: () => ({
    messages: [
      ...rounds().messages.slice(0, 4),
      result(4, 'tide_height', { state: 'awaiting', allowed: null, startedAt: null, finishedAt: null }),
    ],
  }),
  roundFailed: () =>
    rounds(
      calling(5, 'The first source gave no time.', 'sun', 'moon', 'wind'),
      result(6, 'sun', { state: 'timed_out', finishedAt: new Date(Date.now() + 90_000).toISOString() }, '{"error":1}'),
      result(7, 'moon', { isError: true }, 'No such harbour'),
      result(8, 'wind', { state: 'denied' }, '{"error":"denied"}'),
      message(9, {
        text: 'It is 7.2 m high.',
        status: 'failed',
        problem: { kind: 'unavailable', message: '', said: 'Down.' },
      }),
    ),
  continued: () => ({
    messages: [
      ask,
      message(1, {
        text: 'Three rivers that cross a border are the Rhine, the',
        status: 'stopped',
        finishReason: null,
      }),
      message(2, { text: 'Continue your previous message exactly where it stopped.', made: 'continue' }),
      message(3, { text: 'Danube and the Mekong.', sibling: 2, siblings: 2 }),
    ],
  }),
  errorQuoted: () =>
    failure({
      kind: 'invalid_request',
      status: 400,
      message: 'temperature must be at most 1.',
      said: 'temperature must be at most 1.',
      raw: '{"error":{"message":"temperature must be at most 1."}}',
    }),
  errorLong: () =>
    failure({
      kind: 'unavailable',
      status: 503,
      message: `${'The upstream pool is empty. '.repeat(14)}Gave up after 4 attempts.`,
      said: 'The upstream pool is empty. '.repeat(14).trim(),
      retryAfterMs: 20_000,
    }),
  errorContext: () =>
    failure({
      kind: 'invalid_request',
      status: 400,
      code: 'context_length_exceeded',
      message: "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens.",
      said: "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens.",
    }),
  branches: () => ({
    messages: [
      message(0, { text: 'Be brief.', role: 'system' }),
      message(2, { text: 'Name three rivers.', parentId: message(0, {}).id, sibling: 2, siblings: 2, name: 'Ada' }),
      message(3, {
        text: rivers,
        parentId: message(2, {}).id,
        sibling: 2,
        siblings: 3,
        costIs: 'estimated',
        cost: '0.00047',
      }),
      message(4, { text: 'Go on from exactly where your last message ended.', made: 'continue' }),
      message(5, { text: 'And a fourth: the Amur.', finishReason: 'length' }),
    ],
  }),
  columns: () =>
    columns(['writer-large', 'reasoner', longName], (at) => ({
      text: at === 1 ? `${rivers}\n${answer}` : rivers,
      cost: `0.${at + 1}14`,
      costIs: at === 2 ? 'estimated' : 'measured',
    })),
  columnsTable: () =>
    columns(['writer-large', 'reasoner', 'writer-small'], () => ({
      text: `| Method | Grind | Time | Cups | Taste |\n|:--|:--|--:|--:|:--|\n| French press | coarse | 4:00 | 3 | full, heavy |\n| Pour-over | medium | 3:15 | 2 | clear, bright |\n`,
    })),
  columnsRunning: () =>
    columns(['writer-large', 'reasoner', 'writer-small', 'mirror'], (at) =>
      at === 2
        ? { text: rivers, status: 'stopped', finishReason: null, usage: null }
        : at === 3
          ? {
              status: 'failed',
              finishReason: null,
              usage: null,
              firstTokenMs: null,
              cost: null,
              costIs: 'unknown',
              problem: { kind: 'rate_limited', message: 'The service is busy.', status: 429 },
            }
          : { ...running, text: at === 0 ? rivers : '', reasoning: at === 1 ? 'Rivers that cross borders: many.' : '' },
    ),
  choices: () =>
    columns(['writer-large', 'writer-large', 'writer-large'], (at) => ({
      text: `${rivers}\nThis is choice ${at + 1}.`,
      params: { n: 3 },
    })),
  json: () => ({
    messages: [
      ask,
      message(1, {
        text: '```json\n{"rivers":["Rhine","Danube","Mekong"]}\n```',
        params: fullSetup.params,
        jsonFaults: ['/count: this member is required.', '/rivers/0: “Rhine” is too short.'],
      }),
      message(2, { text: 'Again.' }),
      message(3, { text: '{"rivers":[],"count":0}', params: fullSetup.params, jsonFaults: [] }),
    ],
    setup: fullSetup,
  }),
  longNames: () => ({
    messages: [
      message(0, { text: 'x'.repeat(400), name: 'a'.repeat(64) }),
      message(1, { text: `${'word'.repeat(90)}\n\n${rivers}`, model: longName, sibling: 11, siblings: 112 }),
      message(2, { text: 'Done?' }),
      message(3, {
        ...running,
        status: 'pending',
        firstTokenMs: null,
        model: longName,
        wait: nextTry({ kind: 'connection_lost', message: 'The connection was lost.', workPossible: true }),
      }),
    ],
  }),
}
