import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One chat request as the studio sent it, with its reply. */
export interface Exchange {
  authorization: string
  userAgent: string
  /** The parsed body; null when it is not JSON. */
  body: ChatBody | null
  /** Length of the body, bytes. */
  bytes: number
  status: number
  contentType: string
  /** True after the reply has ended completely. */
  whole: boolean
  /** When the studio closed the connection before the reply had ended, ms of the monotonic clock. */
  closedAt: number | null
}

export interface ChatBody {
  model?: string
  stream?: boolean
  tools?: { function?: { name?: string; parameters?: unknown } }[]
  messages?: { role?: string; content?: unknown; tool_calls?: unknown[] }[]
}

/** How the relay treats the next chat requests: `fault` orders a fault of the sandbox, `model` answers instead of the sandbox. */
export interface Treatment {
  /** Value of the sandbox's header `X-Sandbox-Fault` (src-main/sandbox/README.md). */
  fault?: string
  /** The fault is for requests with tools only. */
  turnsOnly?: boolean
  /** Returns the whole reply: an event stream for a streamed request, else JSON. */
  model?(body: ChatBody): string
}

/**
 * A relay between the studio and the service that stores requests and replies with their bodies, because the sandbox's own log has none.
 * It changes no byte of a body, except that images get addresses of the relay, because the studio fetches none from elsewhere.
 * `address`: the address of the service, `http://127.0.0.1:PORT`.
 */
export async function tapBefore(address: string) {
  const exchanges: Exchange[] = []
  const waiting: (() => void)[] = []
  const service = new URL(address)
  let treatment: Treatment = {}
  const server = createServer((request, response) => {
    void readWhole(request).then((body) => {
      const kept: Exchange = {
        authorization: request.headers.authorization ?? '',
        userAgent: request.headers['user-agent'] ?? '',
        body: parsed(body),
        bytes: body.length,
        status: 0,
        contentType: '',
        whole: false,
        closedAt: null,
      }
      const isChat = request.url?.endsWith('/chat/completions') === true
      if (isChat) exchanges.push(kept)
      if (isChat && kept.body && treatment.model) answer(response, kept, treatment.model(kept.body))
      else if (request.url?.endsWith('/images/generations')) void relayImages(request, response, body)
      else
        relay(
          request,
          response,
          kept,
          body,
          isChat && (kept.body?.tools || treatment.turnsOnly !== true) ? treatment.fault : undefined,
        )
    })
  })
  function relay(request: IncomingMessage, response: ServerResponse, kept: Exchange, body: Buffer, fault?: string) {
    const { method, url: path } = request
    const headers = fault === undefined ? request.headers : { ...request.headers, 'x-sandbox-fault': fault }
    const onward = httpRequest({ host: service.hostname, port: service.port, method, path, headers }, (reply) => {
      kept.status = reply.statusCode ?? 0
      kept.contentType = reply.headers['content-type'] ?? ''
      response.writeHead(kept.status, reply.headers)
      reply.once('end', () => {
        kept.whole = reply.complete
      })
      // Two pieces: the agent has output when the second arrives. A title, which is asked without tools, may come first.
      let pieces = 0
      reply.on('data', () => {
        pieces += 1
        if (pieces === 2 && kept.body?.tools) for (const ready of waiting.splice(0)) ready()
      })
      // A cut passes on as a cut.
      reply.once('close', () => {
        if (!reply.complete) response.destroy()
      })
      reply.pipe(response)
    })
    onward.once('error', () => response.destroy())
    response.once('close', () => {
      if (!kept.whole) kept.closedAt = performance.now()
      onward.destroy()
    })
    onward.end(body)
  }
  async function relayImages({ headers }: IncomingMessage, response: ServerResponse, body: Buffer) {
    const reply = await fetch(new URL('/v1/images/generations', service), {
      method: 'POST',
      headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      body: new Uint8Array(body),
    })
    const text = (await reply.text()).replaceAll(service.origin, `http://${headers.host}`)
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text)
  }
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    /** How all further chat requests are treated. */
    treat(next: Treatment) {
      treatment = next
    },
    /** Resolves when the second piece of a reply to a request with tools passes. */
    whenStreaming: () => new Promise<void>((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answer(response: ServerResponse, kept: Exchange, text: string) {
  kept.status = 200
  kept.contentType = kept.body?.stream === true ? 'text/event-stream' : 'application/json'
  kept.whole = true
  response.writeHead(200, { 'content-type': kept.contentType }).end(text)
}

async function readWhole(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

function parsed(body: Buffer): ChatBody | null {
  try {
    return JSON.parse(body.toString()) as ChatBody
  } catch {
    return null
  }
}
