import type { Worker } from 'node:worker_threads'
import { serveJobs, startWorker } from '../../shared/worker.ts'
import { asBuffer } from '../../upstream/meter/bytes.ts'
import type { RequestParameters } from '../../upstream/meter/request.ts'
import {
  type ChatBytes,
  type ChatBytesOptions,
  chatBytesOf,
  isStored,
  parseObject,
  translateAgain,
  withoutConversation,
} from './chatBytes.ts'
import { DialectError } from './dialectError.ts'
import { countedTokens, type TokenCount } from './messages/countTokens.ts'
import { nothingStored } from './responses/inputItems.ts'
import { turnRequest } from './responses/turnRequest.ts'
import { type References, referencesOf, type StoredForThread, storedItemsIn } from './stored/earlierResponses.ts'
import type { DialectProblem, JsonObject } from './types.ts'

const role = 'inference-studio-translation'

export interface TranslationJob extends Omit<ChatBytesOptions, 'stored' | 'length'> {
  bytes: Uint8Array
  /** What the request refers to, or null when that is not known. */
  stored: StoredForThread | null
}

/** A request of `POST /v1/messages/count_tokens`. */
export interface CountJob {
  action: 'count_tokens'
  bytes: Uint8Array
}

export type CountResult = TokenCount | { problem: DialectProblem }

/**
 * The result of a job: a translated request, its problem, or the references that the job still lacked. `here`: only the main thread can
 * translate the request.
 */
export type TranslationResult =
  | 'here'
  | { refers: References }
  | { problem: DialectProblem }
  | {
      body: Uint8Array
      asked: RequestParameters
      askedModel: string
      ignored: string[]
      stored: ChatBytes['stored']
      said: Uint8Array | null
      /** The request without its conversation. Null for a compaction, which has `said` instead. */
      rest: JsonObject | null
    }

/** A body of 32 MB takes about 200 MB while it is translated. */
export const startTranslationWorker = (): Worker =>
  startWorker(import.meta.url, role, null, {
    env: {},
    argv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })

function translated({ bytes, stored, ...options }: TranslationJob): TranslationResult {
  const { dialect, action, followsUnstored = false } = options
  const parsed = parseObject(asBuffer(bytes))
  const body = action === 'turn' ? turnRequest(parsed) : parsed
  const refers = dialect === 'responses' ? referencesOf(body) : null
  if (refers && stored === null) return { refers }
  const items = stored ? storedItemsIn(stored) : nothingStored
  const { request, ...chat } = chatBytesOf(body, { ...options, length: bytes.length, stored: items })
  const { ignored } = request
  if (action === 'compact') return { ...chat, ignored, rest: null }
  const rest = withoutConversation(dialect, body)
  // A request whose response can't be stored says so in its reply.
  if (dialect === 'responses') rest.store = isStored(body, bytes.length, followsUnstored)
  try {
    translateAgain(dialect, rest)
  } catch (thrown) {
    if (thrown instanceof DialectError) return 'here'
    throw thrown
  }
  return { ...chat, ignored, rest }
}

/** The buffers of a result that can be moved to the other thread. Small ones share their memory with others, and are copied. */
function ownBuffers(result: TranslationResult): ArrayBuffer[] {
  if (typeof result !== 'object' || !('body' in result)) return []
  return [result.body, result.said].flatMap((bytes) =>
    bytes?.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : [],
  )
}

serveJobs<TranslationJob | CountJob, TranslationResult | CountResult>(role, () => ({
  handle(job, { transfer }) {
    try {
      if (job.action === 'count_tokens') return countedTokens(asBuffer(job.bytes))
      const result = translated(job)
      transfer(ownBuffers(result))
      return result
    } catch (thrown) {
      if (thrown instanceof DialectError) return { problem: thrown.problem }
      throw thrown
    }
  },
}))
