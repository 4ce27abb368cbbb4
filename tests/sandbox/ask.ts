import { afterEach } from 'vitest'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src-main/sandbox/sandbox.ts'

const running: Sandbox[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.close()))
})

/** A sandbox that closes when the test ends. */
export async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options)
  running.push(sandbox)
  return sandbox
}

export interface Ask {
  key?: string | null
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** A request with the everyday key, another one, or none (null). A body is sent as JSON. */
export function ask(
  sandbox: Sandbox,
  path: string,
  { key = sandbox.apiKey, headers = {}, signal }: Ask = {},
  body?: unknown,
) {
  const address = path.startsWith('http') ? path : sandbox.baseUrl + path
  return fetch(address, {
    method: body === undefined ? 'GET' : 'POST',
    redirect: 'manual',
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  })
}

export const hello = [{ role: 'user', content: 'Good morning' }]

/** POST /v1/chat/completions; by default `writer-small`, fast and short. */
export const chat = (sandbox: Sandbox, body: Record<string, unknown> = {}, how: Ask = {}) =>
  ask(sandbox, '/v1/chat/completions', how, {
    model: 'writer-small',
    messages: hello,
    sandbox: { tokens: 8, tokens_per_second: 0 },
    ...body,
  })

// biome-ignore lint/suspicious/noExplicitAny: replies are judged field by field, by expectations that fail on what is not there
export type Json = any

export const json = async (reply: Response | Promise<Response>): Promise<Json> => (await reply).json()

/** The `data:` payloads of a regular stream. */
export const eventsOf = (text: string) =>
  text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.replace(/^data: /, ''))

export const chunksOf = (text: string): Json[] =>
  eventsOf(text)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data))

/** Reads until `bytes` bytes have arrived, then closes the connection. */
export async function readAndLeave(sandbox: Sandbox, body: Record<string, unknown>, bytes = 1, how: Ask = {}) {
  const leaving = new AbortController()
  const reply = await chat(sandbox, { stream: true, ...body }, { ...how, signal: leaving.signal })
  const reader = reply.body?.getReader()
  let read = 0
  while (reader && read < bytes) read += (await reader.read()).value?.length ?? bytes
  const id = reply.headers.get('x-request-id') ?? ''
  return { reply, id, leave: () => leaving.abort() }
}
