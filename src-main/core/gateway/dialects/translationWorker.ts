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

/**
 * A translated request, a problem of it, what it refers to if that was not in the job, or `here` when only the main thread can translate
 * it.
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
      /** The request without its conversation. */
      rest: JsonObject
    }

/** A body of 32 MB takes about 200 MB while it is translated. */
export const startTranslationWorker = (): Worker =>
  startWorker(import.meta.url, role, null, {
    env: {},
    argv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })

function translated({ bytes, stored, ...options }: TranslationJob): TranslationResult {
  const parsed = parseObject(asBuffer(bytes))
  const body = options.action === 'turn' ? turnRequest(parsed) : parsed
  const refers = options.dialect === 'responses' ? referencesOf(body) : null
  if (refers && stored === null) return { refers }
  const items = stored ? storedItemsIn(stored) : nothingStored
  const { request, ...chat } = chatBytesOf(body, { ...options, length: bytes.length, stored: items })
  const rest = withoutConversation(options.dialect, body, options.action)
  // A request that is too large to be stored says so in its reply.
  if (options.dialect === 'responses' && options.action !== 'compact') rest.store = isStored(body, bytes.length, false)
  try {
    translateAgain(options.dialect, rest, options.action)
  } catch (thrown) {
    if (thrown instanceof DialectError) return 'here'
    throw thrown
  }
  return { ...chat, ignored: request.ignored, rest }
}

serveJobs<TranslationJob, TranslationResult>(role, () => ({
  handle(job, { transfer }) {
    try {
      const result = translated(job)
      if (typeof result === 'object' && 'body' in result && result.body.buffer instanceof ArrayBuffer) {
        transfer([result.body.buffer])
      }
      return result
    } catch (thrown) {
      if (thrown instanceof DialectError) return { problem: thrown.problem }
      throw thrown
    }
  },
}))
