import { execFileSync } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** Length of the sound of each request, s. */
export const partSeconds = 3

const coders: Record<string, { args: string[]; type: string }> = {
  mp3: { args: ['-f', 'mp3', '-b:a', '48k'], type: 'audio/mpeg' },
  opus: { args: ['-f', 'ogg', '-c:a', 'libopus', '-b:a', '32k'], type: 'audio/opus' },
  aac: { args: ['-f', 'adts', '-b:a', '48k'], type: 'audio/aac' },
  flac: { args: ['-f', 'flac'], type: 'audio/flac' },
  wav: { args: ['-f', 'wav'], type: 'audio/wav' },
  pcm: { args: ['-f', 's16le'], type: 'audio/pcm' },
}

const made = new Map<string, Buffer>()
/** A tone with a slow beat, which gives the waveform a shape. */
function soundOf(format: string): Buffer {
  const known = made.get(format)
  if (known) return known
  const source = `aevalsrc='(0.2+0.6*abs(sin(2*PI*t)))*sin(2*PI*330*t)':s=24000:d=${partSeconds}`
  const args = ['-v', 'error', '-f', 'lavfi', '-i', source, '-fflags', '+bitexact', ...(coders[format]?.args ?? [])]
  const bytes = execFileSync('ffmpeg', [...args, 'pipe:1'], { maxBuffer: 1 << 26 })
  made.set(format, bytes)
  return bytes
}

export type Fate = 'whole' | 'cut' | 'hang' | 'silent'

export interface SpeechAsked {
  input: string
  voice?: string
  response_format?: string
  speed?: number
}

/**
 * A service that replies with prepared sound at once. A voice of the sandbox takes half a minute for a long part.
 * `fate` of the nth request (from 1): `silent` never answers, `hang` stops sending in the middle, `cut` closes the connection in the middle once `cut()` is
 * called, so that a test can first check what arrived. The sandbox answers everything else.
 */
export async function startSpeechService(behind: string, fate: (nth: number) => Fate = () => 'whole') {
  const asked: SpeechAsked[] = []
  let cut = (): void => undefined
  const cutting = new Promise<void>((resolve) => {
    cut = resolve
  })
  const speak = async (body: Buffer, response: ServerResponse): Promise<void> => {
    const request = JSON.parse(body.toString()) as SpeechAsked
    asked.push(request)
    const format = request.response_format ?? 'mp3'
    const bytes = soundOf(format)
    const ending = fate(asked.length)
    if (ending === 'silent') return
    const type = coders[format]?.type ?? 'application/octet-stream'
    response.writeHead(200, { 'content-type': type, 'x-request-id': `req_speech_${asked.length}` })
    const piece = Math.ceil(bytes.length / 6)
    for (let at = 0; at < bytes.length; at += piece) {
      if (ending !== 'whole' && at >= bytes.length / 2) {
        if (ending === 'hang') return
        await cutting
        response.destroy()
        return
      }
      response.write(bytes.subarray(at, at + piece))
      await pause(30)
    }
    response.end()
  }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    if (request.url === '/v1/audio/speech') return speak(body, response)
    const headers = { authorization: request.headers.authorization ?? '' }
    const from = await fetch(`${behind.replace(/\/v1\/?$/, '')}${request.url}`, {
      method: request.method ?? 'GET',
      headers: body.length > 0 ? { ...headers, 'content-type': request.headers['content-type'] ?? '' } : headers,
      ...(body.length > 0 ? { body } : {}),
    })
    response.writeHead(from.status, { 'content-type': from.headers.get('content-type') ?? 'application/json' })
    response.end(Buffer.from(await from.arrayBuffer()))
  }
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    cut,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
