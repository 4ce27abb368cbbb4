import { type ForkProgram, startProcessWorker } from '../../shared/processWorker.ts'
import { serveJobs } from '../../shared/worker.ts'
import type { WorkerThread } from '../../shared/workerClient.ts'
import type { DocumentPart } from '../../store/documents.ts'
import { countTokens } from '../../upstream/reply/tokens.ts'
import { convertDocument } from './convert/convert.ts'
import type { ConvertedDocument } from './convert/converted.ts'

const role = 'inference-studio-documents'

/** Heap of the worker, MB. A document that needs more ends the worker, and nothing else. */
const maxHeapMb = 1024
/** Text per message to the core, UTF-16 units, so that storing one message blocks no stream. */
const charactersAtOnce = 200_000
/** Text of a document that is counted, UTF-16 units. Of a longer one, the same share of each part is read. */
const countedCharacters = 500_000
/** Least text of a part that is read for its estimate, UTF-16 units. */
const leastSample = 256

/** The file to convert. */
export interface ConversionJob {
  path: string
  name: string
  /** The encoding of a text file that a person chose. Absent: found by the bytes. */
  encoding?: string
}

/** Pages that were read so far, or parts of the finished text, in order. */
export type ConversionProgress = { done: number; all: number } | { parts: DocumentPart[] }

/** What a conversion found, without its text, which was sent as progress. */
export type Conversion = Omit<ConvertedDocument, 'parts'> & { parts: number; tokens: number }

/** @param maxGrowthBytes how much the memory of its process may grow during one conversion */
export const startConversionWorker = (fork: ForkProgram, maxGrowthBytes: number): Promise<WorkerThread> =>
  startProcessWorker(fork, import.meta.url, role, {
    maxGrowthBytes,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })

serveJobs<ConversionJob, Conversion, ConversionProgress>(role, () => ({
  async handle(job, { progress }) {
    let said = 0
    const { parts, ...facts } = await convertDocument(job, (done, all) => {
      const now = performance.now()
      if (now - said < 200) return
      said = now
      progress({ done, all })
    })
    const share = countedCharacters / parts.reduce((sum, { text }) => sum + text.length, 0)
    let tokens = 0
    let batch: DocumentPart[] = []
    let characters = 0
    for (const { label, text } of parts) {
      const own = countTokens(text, share >= 1 ? text.length : Math.max(leastSample, Math.floor(text.length * share)))
      tokens += own
      batch.push({ label, text, tokens: own })
      characters += text.length
      if (characters < charactersAtOnce) continue
      progress({ parts: batch })
      batch = []
      characters = 0
    }
    if (batch.length > 0) progress({ parts: batch })
    return { ...facts, parts: parts.length, tokens }
  },
}))
