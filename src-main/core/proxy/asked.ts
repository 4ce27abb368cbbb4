import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Endpoint } from '../../../src-preload/contract/requests.ts'
import type { Tool } from '../../../src-preload/contract/tools.ts'
import { type AskedFor, askForUsage, readAsked } from '../upstream/meter/request.ts'
import type { ForwardRequest } from '../upstream/types.ts'
import type { Refusal } from './answers.ts'

/** A JSON request up to this size (bytes) is read whole before it goes on: its model, its budget and its replay hang on it. */
export const jsonLimit = 32 * 1024 * 1024

/** What a request carries and asks for. `asked` is null where the body is none of ours to read. */
export interface Carried {
  body: ForwardRequest['body']
  asked: AskedFor | null
  /** Usage was asked for on the tool's behalf: the event that brings it is cut out again. */
  stripUsage: boolean
}

const nothing: Carried = { body: null, asked: null, stripUsage: false }

/** Models that the specification names for requests which name none. */
const defaultModels: Partial<Record<Endpoint, string>> = { speech: 'tts-1', transcription: 'whisper-1' }

export const modelOf = (endpoint: Endpoint, asked: AskedFor | null): string | null =>
  asked?.model ?? (asked?.namesModel ? null : (defaultModels[endpoint] ?? null))

const readWhole: ReadonlySet<Endpoint> = new Set<Endpoint>(['chat', 'completions', 'speech', 'images'])

/** Whether what the key may do can be told from the body alone. */
const limited = (tool: Tool): boolean =>
  (tool.models ?? tool.tokensPerMinute ?? tool.budgetDay ?? tool.budgetMonth ?? tool.budgetTotal) !== null

const tooLarge: Refusal = {
  status: 413,
  type: 'studio_refused',
  code: 'body_too_large',
  message: `A JSON request of more than ${jsonLimit / 1024 / 1024} MB can’t be checked against what this tool may do.`,
}

/** Methods whose requests ask for work. Others are read-outs, unless they carry a body all the same. */
const worksWithoutBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** Whether a request asks for work at a path that the specification does not know, and says nothing that its app's limits could be checked against. */
const lacksBody = ({ method = '' }: IncomingMessage, endpoint: Endpoint, tool: Tool): boolean =>
  endpoint === 'other' && worksWithoutBody.has(method) && limited(tool)

/** Whether a service that goes by these headers reads the body as we do: plain UTF-8 JSON, not compressed and no form. */
function saysJson({
  'content-type': type = '',
  'content-encoding': encoding = 'identity',
}: IncomingHttpHeaders): boolean {
  if (encoding.trim().toLowerCase() !== 'identity') return false
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type)?.[1] ?? 'utf-8'
  return /^utf-?8$/i.test(charset) && !/^\s*(?:multipart\/|application\/x-www-form-urlencoded)/i.test(type)
}

/**
 * Whether the query of a request names a model (`?model=`, in any spelling). Some servers read form fields from the query too, and take that one where
 * the body names none. `model` itself may stand there when it is allowed and the only one.
 */
export function modelInQuery(path: string, allowed: readonly string[]): boolean {
  const at = path.indexOf('?')
  if (at < 0) return false
  // Some servers part parameters at ";" too.
  return path
    .slice(at + 1)
    .split(/[&;]/)
    .some((pair) => {
      const [[name, value] = ['', '']] = [...new URLSearchParams(pair)]
      return /^\s*model\s*(?:\[|$)/i.test(name.normalize('NFKC')) && !(name === 'model' && allowed.includes(value))
    })
}

/** A service that is more tolerant than we are (UTF-16, compressed bodies) must not read past a tool's limits. */
const unreadable: Refusal = {
  status: 400,
  type: 'studio_refused',
  code: 'body_unreadable',
  message:
    'This tool has limits, and a request that is no plain JSON object (application/json, UTF-8, not compressed) can’t be checked against them.',
}

/**
 * Takes in what a tool sends besides its head. JSON is read whole; anything else is streamed on as it comes.
 * Answers a refusal for JSON that is too large to be read where reading it matters.
 */
export async function readCarried(
  request: IncomingMessage,
  endpoint: Endpoint,
  tool: Tool,
): Promise<Carried | Refusal> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  const size = encoding === undefined ? Number(length ?? 0) : null
  if (size === 0) return lacksBody(request, endpoint, tool) ? unreadable : nothing
  const checked = limited(tool) && endpoint !== 'transcription'
  if (checked && !saysJson(request.headers)) return unreadable
  if (!readWhole.has(endpoint) && !checked) return { body: request, asked: null, stripUsage: false }
  if (size !== null && size > jsonLimit) {
    return limited(tool) ? tooLarge : { body: request, asked: null, stripUsage: false }
  }
  const bytes = await readBody(request, size)
  if (bytes === null) return tooLarge
  const asked = readAsked(endpoint, bytes)
  if (!asked.json && limited(tool)) return unreadable
  if (endpoint !== 'chat' || !asked.stream || asked.usage !== 'absent') return { body: bytes, asked, stripUsage: false }
  const asking = askForUsage(bytes, asked)
  return { body: asking ?? bytes, asked, stripUsage: asking !== null }
}

/** All of the body, or null when it grows beyond the limit. A small one usually came in one packet with its head. */
async function readBody(request: IncomingMessage, size: number | null): Promise<Uint8Array | null> {
  // The parser hands the body over after the head, in the same turn: microtasks run when it is through with the packet.
  if (size !== null) await Promise.resolve()
  if (size !== null && request.readableLength === size) {
    const bytes: unknown = request.read()
    if (bytes instanceof Uint8Array) return bytes
  }
  const pieces: Uint8Array[] = []
  let sum = 0
  for await (const piece of request) {
    if (!(piece instanceof Uint8Array)) continue
    sum += piece.length
    if (sum > jsonLimit) return null
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
