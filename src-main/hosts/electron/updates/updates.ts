import type { UpdateState } from '../../../../src-preload/contract/app.ts'
import { asStudioError, StudioError } from '../../../core/errors.ts'
import type { Host, HostUpdates } from '../../../core/host.ts'
import { dayMs } from '../../../core/shared/days.ts'
import { t } from '../words.ts'

/** What this file uses of electron-updater. */
export interface Updater {
  autoDownload: boolean
  autoInstallOnAppQuit: boolean
  checkForUpdates(): Promise<UpdateCheck | null>
}

interface UpdateCheck {
  isUpdateAvailable: boolean
  updateInfo: { version: string }
  downloadPromise?: Promise<unknown> | null | undefined
  cancellationToken?: { cancel(): void } | undefined
}

interface UpdatesOptions {
  /** Loads electron-updater. Called for the first check, so that nothing of it runs before the person agrees. */
  load(): Promise<Updater>
  /** Whether this program may replace itself. Packages of a distribution are replaced by the package manager, with its password. */
  canInstall: boolean
  log: Host['log']
  /** Delay of the first check after the start, ms. */
  firstAfterMs?: number
  /** Time between checks, ms. */
  everyMs?: number
}

/** Looks for updates once a day while the person's setting allows it, and installs them when the program quits. */
export class Updates implements HostUpdates {
  readonly #options: UpdatesOptions
  readonly #listeners = new Set<() => void>()
  #state: UpdateState = { state: 'off', version: null, message: null }
  #updater: Promise<Updater> | null = null
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #cancel: (() => void) | null = null
  /** Null until the setting is known. */
  #isOn: boolean | null = null

  constructor(options: UpdatesOptions) {
    this.#options = options
  }

  state = (): UpdateState => this.#state

  observe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Takes the setting: at the start, and after each change. Switching it on checks at once. */
  follow(isOn: boolean): void {
    if (isOn === this.#isOn) return
    const isStart = this.#isOn === null
    this.#isOn = isOn
    if (!isOn) {
      this.#stop()
      return
    }
    this.#show({ state: 'idle', version: null, message: null })
    if (isStart) this.#later(this.#options.firstAfterMs ?? 60_000)
    else void this.check()
  }

  /** Looks for an update now. Failures become the state. @throws StudioError `bad_input` while the setting is off */
  async check(): Promise<void> {
    if (this.#isOn !== true) throw new StudioError('bad_input', 'Checking for updates is switched off.')
    this.#running ??= this.#check().finally(() => {
      this.#running = null
      if (this.#isOn) this.#later(this.#options.everyMs ?? dayMs)
    })
    await this.#running
  }

  async #check(): Promise<void> {
    // A downloaded update is installed when the program quits.
    if (this.#state.state === 'ready') return
    const { canInstall, log } = this.#options
    try {
      this.#show({ state: 'checking', version: null, message: null })
      this.#updater ??= this.#options.load()
      const updater = await this.#updater
      updater.autoDownload = canInstall
      updater.autoInstallOnAppQuit = canInstall
      const found = await updater.checkForUpdates()
      if (found === null) throw new StudioError('bad_input', 'This installation can’t be updated from here.')
      if (!this.#isOn) {
        found.cancellationToken?.cancel()
        await found.downloadPromise?.catch(() => undefined)
        return
      }
      const { version } = found.updateInfo
      if (!found.isUpdateAvailable) return this.#show({ state: 'current', version: null, message: null })
      if (!found.downloadPromise) return this.#show({ state: 'available', version, message: null })
      this.#show({ state: 'downloading', version, message: null })
      this.#cancel = () => found.cancellationToken?.cancel()
      await found.downloadPromise
      log('info', `Version ${version} is ready to be installed.`)
      this.#show({ state: 'ready', version, message: null })
    } catch (thrown) {
      if (!this.#isOn) return
      const message = wordsOf(thrown)
      log('warn', `The check for updates failed: ${message}`)
      this.#show({ state: 'failed', version: null, message })
    } finally {
      this.#cancel = null
    }
  }

  #stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#cancel?.()
    // An update that is already downloaded stays on the disk and is not installed.
    this.#updater?.then(
      (updater) => {
        if (!this.#isOn) updater.autoInstallOnAppQuit = false
      },
      () => undefined,
    )
    this.#show({ state: 'off', version: null, message: null })
  }

  #later(ms: number): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.check(), ms)
    this.#timer.unref()
  }

  #show(state: UpdateState): void {
    // A check that ends after the setting was switched off changes nothing.
    if (state.state !== 'off' && !this.#isOn) return
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

/** The reason in one sentence. Errors of electron-updater contain stacks and headers. */
function wordsOf(thrown: unknown): string {
  if (thrown instanceof StudioError) return thrown.message
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  if (code === 'ERR_CHECKSUM_MISMATCH') return t('desktop:update.damaged')
  if (code === 'HTTP_ERROR_404') return t('desktop:update.feedMissing')
  return `The update feed could not be read: ${asStudioError(thrown).message.split('\n')[0]?.slice(0, 200)}`
}
