import type { Settings } from '../../../../src-preload/contract/app.ts'
import type { AutomaticBackups } from '../../../../src-preload/contract/data.ts'
import { asStudioError } from '../../errors.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { BackupFolder, KeptBackup } from './keep.ts'

/** When automatic backups begin, ms. */
export interface BackupDelays {
  /** After the start of the program, so that the window loads first. */
  first: number
  /** Between two looks at the folder, and after a failure. */
  look: number
  /** Age of the newest backup from which on a new one is due. */
  age: number
}

const hour = 3_600_000
// Less than a day, so that the time of day does not move by the time between two looks.
const usual: BackupDelays = { first: 60_000, look: hour / 2, age: 23.5 * hour }

export interface BackupScheduleOptions {
  settings(): Pick<Settings, 'backupFolder' | 'backupAutomatic' | 'backupKeep'>
  /** Writes a backup unless the newest one is newer, and returns all that are there, newest first. Null while another backup runs. */
  backUp(to: BackupFolder, olderThanMs: number): Promise<readonly KeptBackup[]> | null
  /** The result of a look has changed. */
  changed(): void
  log(level: 'info' | 'warn', line: string): void
  delays?: Partial<BackupDelays>
}

/**
 * Writes a backup to a folder once a day, while the program runs. The names in the folder say when the last one was made, so nothing is
 * stored, and a missed day is made up for at the next start.
 */
export class BackupSchedule {
  readonly #options: BackupScheduleOptions
  readonly #delays: BackupDelays
  #timer: NodeJS.Timeout | null = null
  #state: AutomaticBackups | null = null
  /** The settings of the last look. */
  #seen = ''
  #isClosed = false

  constructor(options: BackupScheduleOptions) {
    this.#options = options
    this.#delays = { ...usual, ...options.delays }
    this.#seen = this.#wanted()
    this.#plan(this.#delays.first)
  }

  get state(): AutomaticBackups | null {
    return this.#options.settings().backupAutomatic ? this.#state : null
  }

  /** Call when the settings have changed. A person who switches it on or changes the folder expects to see it work. */
  settingsChanged(): void {
    const wanted = this.#wanted()
    if (wanted === this.#seen) return
    this.#seen = wanted
    this.#state = null
    this.#options.changed()
    this.#plan(0)
  }

  close(): void {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  #wanted(): string {
    const { backupFolder, backupAutomatic, backupKeep } = this.#options.settings()
    return JSON.stringify([backupFolder, backupAutomatic, backupKeep])
  }

  #plan(ms: number): void {
    if (this.#isClosed) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => inBackground('The automatic backup failed', this.#look()), ms)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    this.#plan(this.#delays.look)
    const { backupFolder: folder, backupAutomatic, backupKeep: keep } = this.#options.settings()
    if (!backupAutomatic || folder === null) return
    const work = this.#options.backUp({ folder, keep }, this.#delays.age)
    if (work === null) return
    const seen = this.#seen
    const state = await work.then(found, (thrown: unknown) => this.#failed(thrown))
    // The settings changed meanwhile, and the next look is for the new ones.
    if (state === null || seen !== this.#seen) return
    this.#state = state
    this.#options.changed()
  }

  /** Null when a person cancelled the backup or the program closes. */
  #failed(thrown: unknown): AutomaticBackups | null {
    const failure = asStudioError(thrown)
    if (failure.kind === 'cancelled') return null
    const before = this.#state
    if (before?.problem?.message !== failure.message) {
      this.#options.log('warn', `The automatic backup failed: ${failure.message}`)
    }
    return { latest: before?.latest ?? null, count: before?.count ?? 0, problem: failure.toProblem() }
  }
}

const found = (backups: readonly KeptBackup[]): AutomaticBackups => ({
  latest: backups[0] ? { at: new Date(backups[0].madeAt).toISOString(), path: backups[0].path } : null,
  count: backups.length,
  problem: null,
})
