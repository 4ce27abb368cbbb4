import { type FarEnd, openFarEnd } from './gateway.ts'

/** Prompt caches work in blocks of tokens. */
const block = 16
const bytesOfToken = 4

interface Chat {
  model: string
  stream?: boolean
  tools?: unknown[]
  messages: { role: string; content?: unknown; tool_calls?: { function: unknown }[] }[]
}

const partText = (part: { text?: unknown }): string =>
  typeof part.text === 'string' ? part.text : JSON.stringify(part)
const contentText = (content: unknown): string =>
  Array.isArray(content) ? content.map(partText).join('') : typeof content === 'string' ? content : ''

/** The prompt as a model reads it: tools first, then the messages. */
const promptOf = ({ tools = [], messages }: Chat): string =>
  [
    ...tools.map((tool) => JSON.stringify(tool)),
    ...messages.map(({ role, content, tool_calls: calls = [] }) =>
      [role, contentText(content), ...calls.map((call) => JSON.stringify(call.function))].join(' '),
    ),
  ].join('\n')

function sharedStart(one: string, two: string): number {
  let length = 0
  while (length < one.length && one[length] === two[length]) length += 1
  return length
}

/**
 * A service with a prompt cache that works as services do: each model caches the prompts that it has read, and counts what a later prompt
 * shares with one of them from its start, in blocks. It compares texts, and knows no sections.
 */
export async function openCachingService(): Promise<FarEnd> {
  const read = new Map<string, string[]>()
  return openFarEnd((_request, response, bytes) => {
    const chat = JSON.parse(bytes.toString()) as Chat
    const prompt = promptOf(chat)
    const earlier = read.get(chat.model) ?? []
    const shared = Math.max(0, ...earlier.map((one) => sharedStart(one, prompt)))
    read.set(chat.model, [...earlier, prompt])
    const tokens = (length: number) => Math.floor(length / bytesOfToken)
    const cached = tokens(shared) - (tokens(shared) % block)
    const counts = { prompt_tokens: tokens(prompt.length), completion_tokens: 20 }
    const usage = {
      ...counts,
      total_tokens: counts.prompt_tokens + 20,
      prompt_tokens_details: { cached_tokens: cached },
    }
    const head = { id: 'chatcmpl-1', created: 1_790_000_000, model: chat.model }
    const message = { role: 'assistant', content: 'Yes.' }
    if (chat.stream !== true) {
      response.setHeader('content-type', 'application/json')
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }))
      return
    }
    response.setHeader('content-type', 'text/event-stream')
    const chunks: [choices: unknown[], more: object][] = [
      [[{ index: 0, delta: message, finish_reason: null }], {}],
      [[{ index: 0, delta: {}, finish_reason: 'stop' }], {}],
      [[], { usage }],
    ]
    for (const [choices, more] of chunks)
      response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more })}\n\n`)
    response.end('data: [DONE]\n\n')
  })
}
