import { type ChatSetup, emptySetup, type Message } from '../../../../../src-preload/contract/chat.ts'
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

export const moreScenes: Record<string, () => MoreScene> = {
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
