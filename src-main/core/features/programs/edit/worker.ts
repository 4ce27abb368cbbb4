import type { Worker } from 'node:worker_threads'
import { createTwoFilesPatch } from 'diff'
import { withoutSecrets } from '../../../shared/secrets.ts'
import { serveJobs, startWorker } from '../../../shared/worker.ts'
import {
  type FormatName,
  type FoundEntries,
  findEntries,
  isEmptyFile,
  type ProgramEntry,
  removeEntries,
  type UndoableEntry,
  type WrittenEntry,
  writeEntries,
} from './entries.ts'
import { cannotEdit } from './format.ts'

// Parsers need up to 6 s for a file of 1 MB, so they run on a thread that can be terminated.

const role = 'inference-studio-programs'

/** Takes entries out of a file, then writes others. */
interface EditJob {
  do: 'edit'
  format: FormatName
  /** Name in the diff. */
  file: string
  text: string
  /** Entries of an earlier connection. */
  remove: readonly UndoableEntry[]
  /** The text without them, when it is known exactly; null: they are looked for. */
  base: string | null
  add: readonly ProgramEntry[]
}

export interface Edited {
  text: string
  /** The text without any of our entries. */
  base: string
  written: UndoableEntry[]
  /** Removed entries that somebody changed, which stay, as paths. */
  left: string[]
  /** Whether nothing but an empty map or list is left. */
  isEmpty: boolean
  /** Unified diff, keys masked. Empty: no difference. */
  diff: string
}

interface FindJob {
  do: 'find'
  format: FormatName
  text: string
  written: readonly WrittenEntry[]
}

export type ProgramFileJob = EditJob | FindJob
export type ProgramFileResult = Edited | FoundEntries

export const startProgramFileWorker = (): Worker => startWorker(import.meta.url, role)

serveJobs<ProgramFileJob, ProgramFileResult>(role, () => ({
  handle(job) {
    try {
      return job.do === 'edit' ? edit(job) : findEntries(job.format, job.text, job.written)
    } catch (thrown) {
      // A parser's stack is not deep enough.
      throw thrown instanceof RangeError ? cannotEdit() : thrown
    }
  },
}))

function edit({ format, file, text, remove, base, add }: EditJob): Edited {
  const removed = base === null ? removeEntries(format, text, remove) : { text: base, left: [] }
  const added = writeEntries(format, removed.text, add)
  return {
    text: added.text,
    base: removed.text,
    written: added.written,
    left: removed.left,
    isEmpty: isEmptyFile(format, added.text),
    diff: maskedDiff(file, text, added.text),
  }
}

/** Masked before they are compared, so that a changed key alone is no difference. */
function maskedDiff(file: string, before: string, after: string): string {
  const [old, fresh] = [masked(before), masked(after)]
  if (old === fresh) return ''
  const patch = createTwoFilesPatch(file, file, old, fresh, undefined, undefined, { context: 3 })
  return patch.slice(patch.indexOf('--- '))
}

/** Values of names that end like those of secrets. */
const secretValue =
  /((?:api[_-]?key|[_-]key|auth[_-]?token|access[_-]?token|bearer[_-]token|_token|secret|password)["']?\s*[:=]\s*)("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s"',}]+)/gi

const masked = (text: string): string => withoutSecrets(text).replace(secretValue, '$1"…"')
