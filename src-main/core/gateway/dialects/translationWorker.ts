import type { Worker } from 'node:worker_threads'
import { type ReadPrompt, SectionReader } from '../../requestLog/sessions/sections.ts'
import { serveJobs, startWorker } from '../../shared/worker.ts'
import { asBuffer } from '../../upstream/json/bytes.ts'
import { type ChatBytes, type ChatBytesOptions, chatBytesOf, parseObject } from './chatBytes.ts'
import { type CountOptions, countedTokens, type TokenCount } from './countTokens.ts'
import { DialectError } from './dialectError.ts'
import { type FileTexts, RequestFiles, type UnreadFile } from './requestFiles.ts'
import { nothingStored } from './responses/inputItems.ts'
import { turnRequest } from './responses/turnRequest.ts'
import { type References, referencesOf, type StoredForThread, storedItemsIn } from './stored/earlierResponses.ts'
import { type ItemPage, listedItems } from './stored/itemPage.ts'
import type { DialectProblem } from './types.ts'

const role = 'inference-studio-translation'

export interface TranslationJob extends Omit<ChatBytesOptions, 'stored' | 'length' | 'files'> {
  bytes: Uint8Array
  /** Texts of the files of the request, as far as they are known. */
  texts?: FileTexts
  /** What the request refers to, or null when that is not known. */
  stored: StoredForThread | null
}

/** A request for a number of tokens. */
export interface CountJob extends Omit<CountOptions, 'files'> {
  action: 'count_tokens'
  bytes: Uint8Array
  /** As in `TranslationJob`. */
  texts?: FileTexts
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
export type CountResult = TokenCount | Unread | { problem: DialectProblem }

/** Reads the sections of a chat request (`SectionReader`). */
export interface SectionsJob {
  action: 'sections'
  bytes: Uint8Array
  secret: Uint8Array
}

export interface SectionsResult {
  prompt: ReadPrompt | null
}

/** The files whose text a job still lacked. */
export interface Unread {
  unread: UnreadFile[]
}

/** The result of a job: a translated request, its problem, or the references or files that the job still lacked. */
export type TranslationResult =
  | { refers: References }
  | Unread
  | { problem: DialectProblem }
  | (Omit<ChatBytes, 'body' | 'said'> & { body: Uint8Array; said: Uint8Array | null })

/** A body of 32 MB takes about 200 MB while it is translated. */
export const startTranslationWorker = (): Worker =>
  startWorker(import.meta.url, role, null, {
    env: {},
    argv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })

function translated({ bytes, stored, texts, ...options }: TranslationJob): TranslationResult {
  const parsed = parseObject(asBuffer(bytes))
  const body = options.action === 'turn' ? turnRequest(parsed) : parsed
  const refers = options.dialect === 'responses' ? referencesOf(body) : null
  if (refers && stored === null) return { refers }
  const items = stored ? storedItemsIn(stored) : null
  const length = bytes.length + (items?.referencedBytes ?? 0)
  const files = new RequestFiles(texts)
  const result = chatBytesOf(body, { ...options, length, files, stored: items ?? nothingStored })
  return files.unread.length > 0 ? { unread: files.unread } : result
}

function counted({ bytes, texts, ...options }: CountJob): CountResult {
  const files = new RequestFiles(texts)
  const count = countedTokens(asBuffer(bytes), { ...options, files })
  return files.unread.length > 0 ? { unread: files.unread } : count
}

/** The buffers of a result that can be moved to the other thread. Small ones share their memory with others, and are copied. */
function ownBuffers(result: TranslationResult): ArrayBuffer[] {
  const all =
    'unread' in result ? result.unread.map(({ bytes }) => bytes) : 'body' in result ? [result.body, result.said] : []
  return all.flatMap((bytes) =>
    bytes?.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : [],
  )
}

let sections: SectionReader | null = null

serveJobs<
  TranslationJob | CountJob | ListJob | SectionsJob,
  TranslationResult | CountResult | ListResult | SectionsResult
>(role, () => ({
  handle(job, { transfer }) {
    try {
      if (job.action === 'count_tokens') return counted(job)
      if (job.action === 'sections') {
        sections ??= new SectionReader(job.secret)
        return { prompt: sections.read(job.bytes) }
      }
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
