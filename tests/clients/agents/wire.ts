import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One chat request as the studio sent it, with its reply. */
export interface Exchange {
  authorization: string
  userAgent: string
  /** The parsed body; null when it is not JSON. */
  body: ChatBody | null
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

/**
 * A relay between the studio and the service that stores requests and replies with their bodies, because the sandbox's own log has none.
 * It changes no byte of a body and answers no request itself. `address`: the address of the service, `http://127.0.0.1:PORT`.
 */
export async function tapBefore(address: string) {
  const exchanges: Exchange[] = []
  const waiting: (() => void)[] = []
  const service = new URL(address)
  const server = createServer((request, response) => {
    void readWhole(request).then((body) => {
      const kept: Exchange = {
        authorization: request.headers.authorization ?? '',
        userAgent: request.headers['user-agent'] ?? '',
        body: parsed(body),
        status: 0,
        contentType: '',
        whole: false,
        closedAt: null,
      }
      if (request.url?.endsWith('/chat/completions')) exchanges.push(kept)
      const { method, headers, url: path } = request
      const onward = httpRequest({ host: service.hostname, port: service.port, method, path, headers }, (reply) => {
        kept.status = reply.statusCode ?? 0
        kept.contentType = reply.headers['content-type'] ?? ''
        response.writeHead(kept.status, reply.headers)
        reply.once('end', () => {
          kept.whole = reply.complete
        })
        // Two pieces: the agent has output when the second arrives.
        let pieces = 0
        reply.on('data', () => {
          pieces += 1
          if (pieces === 2) for (const ready of waiting.splice(0)) ready()
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
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    /** Resolves when the second piece of a reply passes. */
    whenStreaming: () => new Promise<void>((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
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
