import { createServer, type ServerResponse } from 'node:http'
import zlib, { crc32 } from 'node:zlib'
import { png } from '../core/features/media/pictures.ts'
import { listenOnLoopback } from './loopback.ts'

/** How the service answers every request from now on. */
export type EchoMode =
  | 'good' // the reply that was asked for, with the key in each of its texts
  | 'refuses' // status 400 and an error object
  | 'page' // status 500 and a page of HTML
  | 'error frame' // an error object in the middle of a stream
  | 'no JSON' // status 200 and words instead of JSON
  | 'cut' // breaks off inside the key
  | 'no HTTP' // a head that is none
  | `compressed with ${string}`

export interface EchoingService {
  url: string
  mode: EchoMode
  /** The requested paths, in order. */
  paths: string[]
  close(): Promise<void>
}

const compress: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes),
  zstd: (bytes) => zlib.zstdCompressSync(bytes),
  'gzip, br': (bytes) => zlib.brotliCompressSync(zlib.gzipSync(bytes)),
}
export const compressions = Object.keys(compress)

/**
 * A working service that echoes the request's key in every place of a reply that can carry text: status line, names and values of
 * headers, trailers, JSON names and values, event streams and files.
 */
export async function startEchoingService(key: string): Promise<EchoingService> {
  const service: EchoingService = { url: '', mode: 'good', paths: [], close: async () => undefined }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => {
      const path = new URL(request.url ?? '/', service.url).pathname
      service.paths.push(path)
      const asked = String(request.headers['x-echo-mode'] ?? service.mode) as EchoMode
      answer(asked, path, Buffer.concat(chunks).toString('latin1'), response)
    })
  })

  function answer(mode: EchoMode, path: string, body: string, response: ServerResponse): void {
    if (mode === 'no HTTP') response.socket?.end(`HTTP/1.1 200 ${key}\r\n${key}\r\n\r\n`)
    else if (mode === 'refuses') send(response, 400, 'application/json', filled(errorObject))
    else if (mode === 'page') send(response, 500, 'text/html', `<p title="${key}">${key}</p>`)
    else if (mode === 'no JSON') send(response, 200, 'application/json', `Bearer ${key}`)
    else works(mode, path, body, response)
  }

  function works(mode: EchoMode, path: string, body: string, response: ServerResponse): void {
    const [type, content] = contentOf(mode, path, body)
    if (mode === 'cut') {
      head(response, 200, type)
      response.write(content.subarray(0, content.indexOf(key) + key.length - 1), () => response.destroy())
      return
    }
    const name = mode.startsWith('compressed with ') ? mode.slice('compressed with '.length) : null
    send(response, 200, type, name ? (compress[name]?.(content) ?? content) : content, name)
  }

  const json = (text: string): [string, Buffer] => ['application/json; charset=utf-8', Buffer.from(filled(text))]

  function contentOf(mode: EchoMode, path: string, body: string): [type: string, content: Buffer] {
    if (path.startsWith('/files/')) return ['image/png', pictureWith(key)]
    switch (path) {
      case '/v1/audio/speech':
        return ['audio/pcm', Buffer.concat([Buffer.alloc(4000), Buffer.from(` ${key} `), Buffer.alloc(4000)])]
      case '/v1/audio/transcriptions':
        return transcript(/name="response_format"\r\n\r\n(\w+)/.exec(body)?.[1])
      case '/v1/images/generations':
        return json(pictures())
      case '/v1/chat/completions':
        if (/"stream":\s*true/.test(body)) return ['text/event-stream', Buffer.from(filled(events(mode)))]
        return json(`{"id":"@","model":"@","choices":[{"index":0,"message":${message},"finish_reason":"stop"}],"@":1}`)
      default:
        return json(readOuts[path] ?? '{"@":["@",{"@":"@"}]}')
    }
  }

  function transcript(format: string | undefined): [type: string, content: Buffer] {
    if (format === 'vtt') return ['text/vtt', Buffer.from(`WEBVTT\n\n00:00.000 --> 00:01.000\n${key}\n`)]
    if (format === 'text') return ['text/plain', Buffer.from(key)]
    return json('{"text":"@","language":"@","segments":[{"start":0,"end":1,"text":"@"}],"words":[{"word":"@"}]}')
  }

  function pictures(): string {
    const bytes = pictureWith('no key').toString('base64')
    const own = `{"url":"${service.url}/files/a.png?k=${encodeURIComponent(key)}","revised_prompt":"@"}`
    const foreign = `{"url":"https://elsewhere.example/?k=${key}&x=@"}`
    return `{"created":1,"data":[${own},{"b64_json":"${bytes}","@":"@"},${foreign},{"url":"@"}]}`
  }

  function events(mode: EchoMode): string {
    const event = (choice: string): string => `data: {"id":"@","model":"@","choices":[{"index":0,${choice}}]}\n\n`
    const delta = (fields: string): string => event(`"delta":{${fields}}`)
    let text = `: @\nid: @\ndata: {"id":"@","model":"@","choices":[]}\n\n${delta('"role":"assistant","content":"","@":"@"')}`
    if (mode === 'error frame') return `${text}${delta('"content":"Before."')}data: ${errorObject}\n\n`
    // Compression changes the bytes of a stream, not its fields.
    const fields = mode.startsWith('compressed') ? ['content'] : ['reasoning_content', 'content', 'refusal']
    for (const field of fields) text += delta(`"${field}":"It is @. "`)
    const call = (fields: string): string => delta(`"tool_calls":[{"index":0,${fields}}]`)
    text +=
      call('"id":"@","type":"function","function":{"name":"@","arguments":"{\\"a\\":\\"@\\"}"}') +
      event('"delta":{},"finish_reason":"stop"')
    return `${text}data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"@":"@"}}\n\ndata: [DONE]\n\n`
  }

  const filled = (text: string): string => text.replaceAll('@', key)

  function head(response: ServerResponse, status: number, type: string, encoding: string | null = null): void {
    const headers: [string, string][] = [
      ['Content-Type', type],
      ['Trailer', 'X-Trailer'],
      ['X-Request-Id', key],
      ['Content-Disposition', `attachment; filename="${key}.png"`],
      ['Set-Cookie', `key=${key}`],
      ['X-Echo', `Bearer ${key}`],
    ]
    headers.push([`X-${key}`, '1'], [key, key], [`X-${key.toUpperCase()}`, '1'])
    if (encoding !== null) headers.push(['Content-Encoding', encoding])
    response.writeHead(status, `Reason ${key}`, headers.flat())
  }

  /** In pieces of varying size, so that the key is split at every position. */
  function send(
    response: ServerResponse,
    status: number,
    type: string,
    body: Buffer | string,
    encoding: string | null = null,
  ): void {
    head(response, status, type, encoding)
    const bytes = Buffer.from(body)
    let at = 0
    const next = (): void => {
      if (response.destroyed) return
      if (at >= bytes.length) {
        response.addTrailers({ 'X-Trailer': key })
        response.end()
        return
      }
      const size = 1 + ((at * 7) % 997)
      response.write(bytes.subarray(at, at + size))
      at += size
      setImmediate(next)
    }
    next()
  }

  const { url, close } = await listenOnLoopback(server)
  service.url = url
  service.close = async () => close()
  return service
}

const errorObject = '{"error":{"message":"Bad key @.","type":"@","code":"@","@":"@"},"detail":"@"}'
const keyRecord =
  '{"id":"k1","user_id":"@","key_prefix":"@","name":"@","created_at":"@","last_used_at":"@","revoked_at":null,"max_concurrent":9,"@":"@"}'
const totals = '"total_requests":1,"total_tokens_in":2,"total_tokens_out":3,"total_cost_sc":"0.5","@":"@"'
const row = '"requests":1,"tokens_in":2,"tokens_out":3,"tokens_cached":0,"cost_sc":"0.5"'
const accountUsage = `{"usage":[{"user_id":"@","date":"2026-01-01","model":"@",${row}},{"user_id":"@","date":"@","model":"echo",${row}}],"balance":"12.5","total_spent":"@"}`
const rateLimit = '{"limit_rpm":100000,"used_rpm":1,"remaining_rpm":99999,"reset_seconds":1,"banned_until":"@","@":"@"}'
const message =
  '{"role":"assistant","content":"@","reasoning_content":"@","refusal":"@","tool_calls":[{"id":"@","type":"function","function":{"name":"@","arguments":"{\\"@\\":\\"@\\"}"}}]}'

const readOuts: Record<string, string> = {
  '/v1/models': '{"object":"@","data":[{"id":"echo","owned_by":"@","@":"@"},{"id":"@"}]}',
  '/v1/keys/': `{"api_keys":[${keyRecord}],"@":["@"]}`,
  '/v1/keys/current': keyRecord,
  '/v1/keys/k1/usage': `{${totals}}`,
  '/v1/keys/current/usage': `{${totals}}`,
  '/v1/keys/k1/usage/daily': `{"usage":[{"date":"2026-01-01",${totals}},{"date":"@",${totals}}]}`,
  '/v1/keys/current/usage/daily': `{"usage":[{"date":"2026-01-01",${totals}},{"date":"@",${totals}}]}`,
  '/v1/usage': accountUsage,
  '/v1/rate-limit': rateLimit,
}

/** An image with a comment. */
function pictureWith(text: string): Buffer {
  const plain = png(4, 4)
  const chunk = Buffer.from(`tEXtComment\0${text}`, 'latin1')
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(chunk.length - 4)
  check.writeUInt32BE(crc32(chunk))
  return Buffer.concat([plain.subarray(0, 33), length, chunk, check, plain.subarray(33)])
}
