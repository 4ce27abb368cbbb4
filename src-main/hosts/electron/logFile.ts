import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Host } from '../../core/host.ts'
import { withoutSecrets } from '../../core/shared/secrets.ts'

/** Largest log file before it is rotated, bytes. */
const maxFileBytes = 1_000_000
/** Number of rotated files that are kept. */
const maxOld = 4
/** Longest line, UTF-16 units. */
const maxLine = 4_000

export interface LogFile {
  /** The file that is written now. */
  readonly path: string
  write: Host['log']
}

/**
 * A log in a folder: `studio.log`, and up to four older files `studio.1.log` and so on. Keys are masked although callers never log any. A
 * log that can't be written is silently given up, because there is no other place to report that.
 */
export function openLogFile(folder: string, { fileBytes = maxFileBytes } = {}): LogFile {
  const at = (number: number): string => join(folder, number === 0 ? 'studio.log' : `studio.${number}.log`)
  let bytes = 0
  let isBroken = false
  const rotate = (): void => {
    rmSync(at(maxOld), { force: true })
    for (let number = maxOld - 1; number >= 0; number--) {
      if (statSync(at(number), { throwIfNoEntry: false })) renameSync(at(number), at(number + 1))
    }
    bytes = 0
  }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    bytes = statSync(at(0), { throwIfNoEntry: false })?.size ?? 0
  } catch {
    isBroken = true
  }
  return {
    path: at(0),
    write(level, line) {
      if (isBroken) return
      const text = `${new Date().toISOString()} ${level} ${withoutSecrets(line.slice(0, maxLine))}\n`
      try {
        if (bytes > 0 && bytes + Buffer.byteLength(text) > fileBytes) rotate()
        appendFileSync(at(0), text, { mode: 0o600 })
        bytes += Buffer.byteLength(text)
      } catch {
        isBroken = true
      }
    },
  }
}

/** How much of the log is read for its last problems, bytes. */
const tailBytes = 64 * 1024
/** Most problems that are returned. */
const maxProblems = 30

/** The last warnings and errors of a log file, oldest first. Empty when it can't be read. */
export function lastProblems(path: string): string[] {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return [] // nothing has been logged
  }
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.alloc(Math.min(size, tailBytes))
    readSync(file, bytes, 0, bytes.length, size - bytes.length)
    return bytes
      .toString('utf8')
      .split('\n')
      .filter((line) => /^\d{4}-\S+Z (warn|error) /.test(line))
      .slice(-maxProblems)
  } finally {
    closeSync(file)
  }
}
