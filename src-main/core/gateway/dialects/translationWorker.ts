import type { Worker } from 'node:worker_threads'
import { serveJobs, startWorker } from '../../shared/worker.ts'
import { asBuffer } from '../../upstream/json/bytes.ts'
import { type ChatBytes, type ChatBytesOptions, chatBytesOf, parseObject } from './chatBytes.ts'
import { type CountOptions, countedTokens, type TokenCount } from './countTokens.ts'
import { DialectError } from './dialectError.ts'
import { nothingStored } from './responses/inputItems.ts'
import { turnRequest } from './responses/turnRequest.ts'
import { type References, referencesOf, type StoredForThread, storedItemsIn } from './stored/earlierResponses.ts'
import { type ItemPage, listedItems } from './stored/itemPage.ts'
import type { DialectProblem } from './types.ts'

const role = 'inference-studio-translation'

export interface TranslationJob extends Omit<ChatBytesOptions, 'stored' | 'length'> {
  bytes: Uint8Array
  /** What the request refers to, or null when that is not known. */
  stored: StoredForThread | null
}

/** A request for a number of tokens. */
export interface CountJob extends CountOptions {
  action: 'count_tokens'
  bytes: Uint8Array
}

/** A page of the items of a stored response. */
export interface ListJob {
  action: 'list'
  input: string
  page: ItemPage
}

export interface ListResult {
  list: string | null
}
export type CountResult = TokenCount | { problem: DialectProblem }

/** The result of a job: a translated request, its problem, or the references that the job still lacked. */
export type TranslationResult =
  | { refers: References }
  | { problem: DialectProblem }
  | (Omit<ChatBytes, 'body' | 'said'> & { body: Uint8Array; said: Uint8Array | null })

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
  const items = stored ? storedItemsIn(stored) : null
  const length = bytes.length + (items?.referencedBytes ?? 0)
  return chatBytesOf(body, { ...options, length, stored: items ?? nothingStored })
}

/** The buffers of a result that can be moved to the other thread. Small ones share their memory with others, and are copied. */
function ownBuffers(result: TranslationResult): ArrayBuffer[] {
  if (!('body' in result)) return []
  return [result.body, result.said].flatMap((bytes) =>
    bytes?.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : [],
  )
}

serveJobs<TranslationJob | CountJob | ListJob, TranslationResult | CountResult | ListResult>(role, () => ({
  handle(job, { transfer }) {
    try {
      if (job.action === 'count_tokens') return countedTokens(asBuffer(job.bytes), job)
      if (job.action === 'list') return { list: listedItems(job.input, job.page) }
      const result = translated(job)
      transfer(ownBuffers(result))
      return result
    } catch (thrown) {
      if (thrown instanceof DialectError) return { problem: thrown.problem }
      throw thrown
    }
  },
}))
