import type { PowerMonitor, PowerSaveBlocker } from 'electron'
import type { Core } from '../../core/core.ts'

/** Keeps the computer from sleeping while `isBusy` was last called with true. The display may go dark. */
export class SleepBlocker {
  readonly #blocker: Pick<PowerSaveBlocker, 'start' | 'stop'>
  #id: number | null = null

  constructor(blocker: Pick<PowerSaveBlocker, 'start' | 'stop'>) {
    this.#blocker = blocker
  }

  isBusy(busy: boolean): void {
    if (busy === (this.#id !== null)) return
    if (this.#id !== null) this.#blocker.stop(this.#id)
    this.#id = busy ? this.#blocker.start('prevent-app-suspension') : null
  }
}

type Shutdown = (event: { preventDefault(): void }) => void

/**
 * Follows the power of the computer: after sleep, the core checks the connection and its streams at once; a shutdown of macOS or Linux
 * waits until `quit` has stopped the core.
 */
export function followPower(
  monitor: Pick<PowerMonitor, 'on'>,
  { core, quit }: { core(): Promise<Pick<Core, 'resumed'> | null>; quit(): void },
): void {
  monitor.on('resume', () => {
    void core().then((running) => running?.resumed())
  })
  // Electron's types omit the event.
  const shutDown: Shutdown = (event) => {
    event.preventDefault()
    quit()
  }
  monitor.on('shutdown', shutDown as () => void)
}
