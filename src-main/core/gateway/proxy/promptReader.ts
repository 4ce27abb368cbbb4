import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { asStudioError } from '../../errors.ts'
import type { RequestTrace } from '../../ports/requests.ts'
import { type ReadPrompt, SectionReader } from '../../requestLog/sessions/sections.ts'
import { guarded, inBackground } from '../../shared/unexpected.ts'
import type { TranslationThreads } from './translationThreads.ts'

/** Larger prompts are read on another thread, bytes. The first of a conversation with this much text takes about 4 ms, the next ones 0.5 ms. */
const maxReadHere = 128 * 1024
/** Larger prompts are not read, bytes. The context of every model is smaller. */
const maxRead = 8 * 1024 * 1024
/** Large prompts that wait for a thread at once. Their bodies stay in memory until then, so further ones are not read. */
const maxWaiting = 4
/** Smaller prompts without an id of their conversation are no session, bytes: services cache from 1,024 tokens on. */
const minSize = 2048
const maxIdLength = 1000

/**
 * Headers by which agents name the conversation of a request: Claude Code, Codex (new and old), opencode and programs on the same
 * libraries. In lower case.
 */
const conversationHeaders = [
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'conversation_id',
  'x-session-id',
  'x-opencode-session',
  'x-session-affinity',
]

/** The id of the conversation in the headers of a request, or null. */
export function conversationInHeaders(headers: IncomingHttpHeaders): string | null {
  for (const name of conversationHeaders) {
    const value = headers[name]
    if (typeof value === 'string' && value !== '' && value.length <= maxIdLength) return value
  }
  return null
}

/** Reads the sections of prompts for the request log, after their requests were sent. */
export class PromptReader {
  readonly #threads: Pick<TranslationThreads, 'sections'>
  readonly #secret: () => Uint8Array
  #reader: { own: SectionReader; secret: Uint8Array } | null = null
  #waiting = 0

  /** @param secret of the data folder: 32 bytes */
  constructor(threads: Pick<TranslationThreads, 'sections'>, secret: () => Uint8Array) {
    this.#threads = threads
    this.#secret = secret
  }

  /**
   * Reads a chat request that is being sent, in a later turn of the event loop, and reports it to its trace.
   * @param bytes null for a body that is not in memory
   * @param named the id of its conversation in its headers, or in the request that it was translated from
   */
  read(app: string, bytes: Uint8Array | null, named: string | null, trace: RequestTrace): void {
    if (named === null && (bytes === null || bytes.length < minSize)) return
    if (bytes === null || bytes.length > maxRead) trace.prompt(named, null)
    else if (bytes.length <= maxReadHere)
      setImmediate(guarded(unreadable, () => this.#report(trace, named, this.#here().own.read(bytes))))
    else if (this.#waiting >= maxWaiting) trace.prompt(named, null)
    else inBackground(unreadable, this.#elsewhere(app, bytes, named, trace))
  }

  async #elsewhere(app: string, bytes: Uint8Array, named: string | null, trace: RequestTrace): Promise<void> {
    this.#waiting += 1
    try {
      const { secret } = this.#here()
      this.#report(trace, named, await this.#threads.sections(app, { bytes, secret }, neverAborted))
    } catch (thrown) {
      // The threads end with the program.
      if (asStudioError(thrown).kind !== 'cancelled') throw thrown
    } finally {
      this.#waiting -= 1
    }
  }

  #report(trace: RequestTrace, named: string | null, prompt: ReadPrompt | null): void {
    const conversation = named ?? prompt?.conversation ?? null
    const id = conversation === null || conversation.length > maxIdLength ? null : conversation
    if (id !== null || prompt !== null) trace.prompt(id, prompt?.sections ?? null)
  }

  #here(): { own: SectionReader; secret: Uint8Array } {
    if (this.#reader) return this.#reader
    // Not the key itself, which seals reasoning.
    const secret = createHash('sha256').update('sections').update(this.#secret()).digest()
    this.#reader = { own: new SectionReader(secret), secret }
    return this.#reader
  }
}

const unreadable = 'A prompt could not be read for the request log'
const neverAborted = new AbortController().signal
