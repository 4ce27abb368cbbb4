import type { Conversation, Message, Wait } from '../../../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../../../src-preload/contract/problem.ts'
import { plainMessage } from '../../../../helpers/contractRows.ts'
import { rich } from './rich.ts'

export const conversationId = '00000000-0000-4000-8000-000000000001'
const base = new Date()
base.setHours(14, 2, 0, 0)
const at = (seconds: number): string => new Date(base.getTime() + seconds * 1_000).toISOString()
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

export function conversation(over: Partial<Conversation> = {}): Conversation {
  return {
    id: conversationId,
    title: 'Refactor the stream parser',
    model: 'writer-large',
    createdAt: at(0),
    updatedAt: at(3_000),
    messages: 2,
    draft: '',
    running: false,
    waiting: false,
    folderId: null,
    pinned: false,
    archived: false,
    ...over,
  }
}

export function message(n: number, over: Partial<Message>): Message {
  const common = {
    id: uuid(1_000 + n),
    conversationId,
    parentId: n === 0 ? null : uuid(999 + n),
    createdAt: at(n * 7),
    finishedAt: at(n * 7 + 5.2),
  }
  if (n % 2 === 0) return plainMessage({ ...common, role: 'user', ...over })
  return plainMessage({
    ...common,
    role: 'assistant',
    model: 'writer-large',
    finishReason: 'stop',
    usage: { promptTokens: 1_284, completionTokens: 412, totalTokens: 1_696, cachedTokens: 1_024 },
    firstTokenMs: 380,
    requestId: 'req_8fd21c',
    cost: '0.2104',
    costIs: 'measured',
    requestRow: 41 + n,
    params: {},
    ...over,
  })
}

const ask = message(0, {
  text: 'The parser drops events when a chunk ends between \\r and \\n. Where is the bug, and what is the\nsmallest fix?',
})
export const answer = `The split is made on \`\\r\` alone, so a chunk that ends there is taken as a finished line and the \`\\n\` that follows starts an empty one. An empty line means “dispatch”, and the event goes out half-built.

\`\`\`ts
// A trailing CR may be half of a CRLF: hold it until the next byte decides.
if (ends === '\\r') {
  held = true
  return lines(chunk.slice(0, -1))
}
\`\`\`

Two things follow from it:

- a test that splits every fixture at every byte, not only at newlines;
- the held flag must be cleared when the stream ends.
`
const growing = {
  status: 'streaming',
  finishReason: null,
  usage: null,
  finishedAt: null,
  createdAt: new Date(Date.now() - 3_400).toISOString(),
} as const
/** A reply without any text yet. */
const pending = { ...growing, status: 'pending', firstTokenMs: null } as const
/** Waits a minute after a failed attempt. */
export const nextTry = (problem: Problem): Wait => ({
  for: 'retry',
  since: new Date().toISOString(),
  until: new Date(Date.now() + 60_000).toISOString(),
  attempt: 2,
  problem,
})
const longCode = `Here is the whole module.\n\n\`\`\`python\n${Array.from({ length: 220 }, (_, n) => `def step_${n}(state):  # ${'deep '.repeat(n % 17)}\n    return state + ${n}`).join('\n')}\n\`\`\`\n`
const table = `## Three ways to brew

| Method | Grind | Time | Cups | Taste |
|:--|:--|--:|--:|:--|
| French press | coarse | 4:00 | 3 | full, heavy |
| Pour-over | medium | 3:15 | 2 | clear, bright |
| Moka pot | fine | 5:30 | 4 | strong, dark |

1. Warm the pot first.
   - Not with tap water.
2. Weigh, don't guess[^1].

- [x] scale
- [ ] kettle

> Good coffee is mostly good water.

See [the guide](https://example.com/brew?x=1) or ![a press](https://tracker.example/pixel.png). <script>alert(1)</script>

[^1]: 60 g a litre is a fair start.
`

/** The messages of the open chat, by scene. */
export const scenes: Record<string, () => Message[]> = {
  complete: () => [
    ask,
    message(1, { text: answer, reasoning: 'Look at the split.', reasoningMs: 2_100, sibling: 2, siblings: 3 }),
  ],
  streaming: () => [
    ask,
    message(1, { text: answer, reasoning: 'Look at the split.', reasoningMs: 2_100, sibling: 2, siblings: 3 }),
    message(2, { text: 'Write that test.' }),
    message(3, {
      ...growing,
      text: 'One test covers it. For every fixture and every **offset, feed two chunks and expect the same events as the whole gives',
    }),
  ],
  reasoning: () => [
    ask,
    message(1, {
      ...growing,
      reasoning: 'First I look at how lines are split.\n\n1. The buffer ends in CR.\n2. The next',
    }),
  ],
  waiting: () => [
    ask,
    message(1, {
      ...pending,
      wait: {
        for: 'first_token',
        since: new Date(Date.now() - 3_200).toISOString(),
        until: null,
        attempt: null,
        problem: null,
      },
    }),
  ],
  retrying: () => [
    ask,
    message(1, {
      ...pending,
      wait: nextTry({ kind: 'rate_limited', message: 'The service is busy.', status: 429 }),
    }),
  ],
  stopped: () => [
    ask,
    message(1, { text: `${answer.slice(0, 180)}`, status: 'stopped', finishReason: null, usage: null }),
  ],
  incomplete: () => [
    ask,
    message(1, {
      text: answer.slice(0, 320),
      status: 'incomplete',
      finishReason: null,
      usage: null,
      problem: {
        kind: 'connection_lost',
        message: 'The connection ended in the middle of the reply.',
        outputStarted: true,
      },
    }),
  ],
  failed: () => [
    ask,
    message(1, {
      status: 'failed',
      finishReason: null,
      usage: null,
      firstTokenMs: null,
      problem: {
        kind: 'unauthorized',
        message: 'This key was refused. Check it in Settings.',
        status: 401,
        raw: '{"error":{"message":"Invalid API key","type":"invalid_request_error","code":"invalid_api_key"}}',
      },
    }),
    message(2, { text: 'Once more.' }),
    message(3, { text: '', finishReason: 'length', reasoning: 'Long thoughts.', reasoningMs: 9_300 }),
  ],
  code: () => [ask, message(1, { text: longCode })],
  rich: () => [message(0, { text: 'Show what a reply can hold.' }), message(1, { text: rich })],
  table: () => [message(0, { text: 'Compare three ways to brew coffee, in a table' }), message(1, { text: table })],
  tool: () => [
    message(0, { text: 'What is the weather in Oslo?' }),
    message(1, {
      finishReason: 'tool_calls',
      toolCalls: [{ index: 0, id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo","unit":"celsius"}' }],
    }),
    message(2, { text: 'And in Rome?' }),
    message(3, {
      finishReason: 'tool_calls',
      toolCalls: [{ index: 0, id: 'call_2', name: 'get_weather', arguments: '{"city":"Rome",' }],
    }),
  ],
  tenThousand: () =>
    Array.from({ length: 10_000 }, (_, n) =>
      message(n, { text: n % 2 === 0 ? `Question ${n}?` : `${answer}\nThis was answer ${n}.` }),
    ),
  long: () =>
    Array.from({ length: 1_000 }, (_, n) =>
      message(n, { text: n % 2 === 0 ? `Question ${n}: what comes next?` : `${answer}\nThis was answer ${n}.` }),
    ),
}

export function others(): Conversation[] {
  const titles = [
    'Tax letter, third draft',
    'What does this stack trace mean?',
    'Menu for eight, one vegan',
    'Compare three resampling filters',
    'Poster text, Spanish',
    'Regex for IBANs',
  ]
  return titles.map((title, n) =>
    conversation({
      id: uuid(10 + n),
      title,
      model: n % 2 ? 'reasoner' : 'writer-small',
      updatedAt: new Date(base.getTime() - 36e5 * 20 * n).toISOString(),
      running: n === 1,
    }),
  )
}
