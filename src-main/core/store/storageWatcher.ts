import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { asStudioError, type StudioError } from '../errors.ts'
import { guarded } from '../shared/unexpected.ts'
import { refusedWrites } from './database.ts'
import { asStoreError, mayPass } from './databaseErrors.ts'

/** Refusals shorter than this, such as the lock of a command beside this program, cause no notice. ms */
const noticeAfterMs = 1000
/** Pause between two tries of a refused write, ms. */
const retryMs = 500
/** Free space that ends a "disk full" report, bytes. With less, a small write may succeed but the next reply fails again. */
const enoughFreeBytes = 1024 * 1024

interface Refusal {
  failure: StudioError
  since: number
  tryWrite: () => void
}

/**
 * Whether the databases of a data folder accept writes. A database that has refused one (locked, disk full, read-only) is tried again until it
 * accepts one, so the report ends by itself.
 */
export class StorageWatcher {
  readonly #dataDir: string
  readonly #changed: () => void
  readonly #stop: () => void
  readonly #refusals = new Map<string, Refusal>()
  #problem: Problem | null = null
  #timer: NodeJS.Timeout | null = null

  /** @param changed called when `problem` changes */
  constructor(dataDir: string, changed: () => void) {
    this.#dataDir = dataDir
    this.#changed = changed
    this.#stop = refusedWrites.add((file, failure, tryWrite) => {
      if (dirname(file) !== dataDir) return
      const since = this.#refusals.get(file)?.since ?? performance.now()
      this.#refusals.set(file, { failure, since, tryWrite })
      this.#plan()
    })
  }

  /** Why writes have been refused for some time; null while they are accepted. */
  get problem(): Problem | null {
    return this.#problem
  }

  /** Tries the refused writes now. */
  check(): void {
    for (const [file, refusal] of this.#refusals) {
      const failure = this.#failureOf(file, refusal)
      if (failure) refusal.failure = failure
      else this.#refusals.delete(file)
    }
    const now = performance.now()
    const lasting = [...this.#refusals.values()].find(({ since }) => now - since >= noticeAfterMs)
    const problem = lasting?.failure.toProblem() ?? null
    const hasChanged = problem?.message !== this.#problem?.message
    this.#problem = problem
    this.#plan()
    if (hasChanged) this.#changed()
  }

  close(): void {
    this.#stop()
    this.#refusals.clear()
    if (this.#timer) clearTimeout(this.#timer)
  }

  #failureOf(file: string, { failure, tryWrite }: Refusal): StudioError | null {
    try {
      tryWrite()
      const { bavail, bsize } = statfsSync(this.#dataDir)
      return failure.kind === 'disk_full' && bavail * bsize < enoughFreeBytes ? failure : null
    } catch (thrown) {
      // Any other failure says nothing about later writes. The code that writes reports it.
      return mayPass(thrown) ? asStudioError(asStoreError(thrown, file)) : null
    }
  }

  #plan(): void {
    if (this.#timer) {
      if (this.#refusals.size > 0) return
      clearTimeout(this.#timer)
      this.#timer = null
    }
    if (this.#refusals.size === 0) return
    this.#timer = setTimeout(
      guarded('The storage could not be checked', () => {
        this.#timer = null
        this.check()
      }),
      retryMs,
    )
    this.#timer.unref()
  }
}
