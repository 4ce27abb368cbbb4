import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'

/** A scripted reply: text, tool calls as a model writes them (the arguments need not be JSON), or no reply at all. */
export interface Line {
  /** With parts, each is sent when the iterator returns it. */
  text?: string | AsyncIterable<string>
  calls?: { name: string; arguments: string }[]
  /** Finish reason. Default: `tool_calls` or `stop`. */
  finish?: string
}

export interface Asked {
  model: string
  messages: {
    role: string
    content: unknown
    tool_call_id?: string
    tool_calls?: { id: string; function: { name: string } }[]
  }[]
  tools?: { function: { name: string; strict?: boolean } }[]
  tool_choice?: unknown
  parallel_tool_calls?: boolean
}

/** Id of the scripted model. */
export const scripted = 'scripted'

/**
 * A service whose one model replies with what `script` returns for each request. For replies that no well-behaved model gives, such as
 * arguments that break the schema, or endless calls. The sandbox answers everything else.
 */
export async function startScripted(behind: string, script: (asked: Asked, nth: number) => Line) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy())
  })
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    if (request.url === '/v1/chat/completions') {
      const read = JSON.parse(body.toString()) as Asked
      if (read.model === scripted) {
        asked.push(read)
        await say(response, script(read, asked.length))
        return
      }
    }
    const headers = { authorization: request.headers.authorization ?? '' }
    const from = await fetch(`${behind.replace(/\/v1\/?$/, '')}${request.url}`, {
      method: request.method ?? 'GET',
      headers: body.length > 0 ? { ...headers, 'content-type': request.headers['content-type'] ?? '' } : headers,
      ...(body.length > 0 ? { body } : {}),
    })
    response.writeHead(from.status, { 'content-type': from.headers.get('content-type') ?? 'application/json' })
    if (request.url === '/v1/models') response.end(withScripted(await from.text()))
    else if (from.body) await pipeline(Readable.fromWeb(from.body as ReadableStream), response)
    else response.end()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

function withScripted(text: string): string {
  const list = JSON.parse(text) as { data: unknown[] }
  return JSON.stringify({ ...list, data: [{ id: scripted, object: 'model' }, ...list.data] })
}

async function say(response: ServerResponse, { text = '', calls = [], finish: ending }: Line): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (delta: unknown, finish: string | null = null) =>
    response.write(
      `data: ${JSON.stringify({
        id: 'chatcmpl-script',
        object: 'chat.completion.chunk',
        created: 1_795_000_000,
        model: scripted,
        choices: [{ index: 0, delta, finish_reason: finish }],
      })}\n\n`,
    )
  if (typeof text === 'string') send({ role: 'assistant', content: text })
  else for await (const part of text) send({ role: 'assistant', content: part })
  for (const [index, { name, arguments: given }] of calls.entries()) {
    send({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }] })
    const half = Math.ceil(given.length / 2)
    for (const part of [given.slice(0, half), given.slice(half)])
      send({ tool_calls: [{ index, function: { arguments: part } }] })
  }
  send({}, ending ?? (calls.length > 0 ? 'tool_calls' : 'stop'))
  response.end('data: [DONE]\n\n')
}
