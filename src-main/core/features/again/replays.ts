import type { FixtureCounts, Replay, RequestSelection } from '../../../../src-preload/contract/requests.ts'
import { SerialQueue } from '../../shared/serialQueue.ts'

/** Returns the text of a fixture. @throws StudioError */
type FixtureSource = (selection: RequestSelection) => Promise<FixtureCounts & { text: string }>

/** At most one sandbox that answers with recorded replies, until it is stopped or the program ends. */
export class Replays {
  readonly #fixtureOf: FixtureSource
  readonly #changes = new SerialQueue()
  #running: { shown: Replay; close(): Promise<void> } | null = null

  constructor(fixtureOf: FixtureSource) {
    this.#fixtureOf = fixtureOf
  }

  get current(): Replay | null {
    return this.#running?.shown ?? null
  }

  /** Replaces the running replay once the new one can answer. @throws StudioError as the source of the fixture */
  start({ selection, timing }: { selection: RequestSelection; timing: Replay['timing'] }): Promise<Replay> {
    return this.#changes.run(async () => {
      const { text: fixture, ...counts } = await this.#fixtureOf(selection)
      // Loaded on first use, because most runs never need it.
      const { startSandbox } = await import('../../../sandbox/sandbox.ts')
      const sandbox = await startSandbox({ replay: { fixture, timing } })
      const before = this.#running
      const shown = { ...counts, timing, baseUrl: `${sandbox.baseUrl}/v1`, apiKey: sandbox.apiKey }
      this.#running = { shown, close: sandbox.close }
      await before?.close()
      return shown
    })
  }

  stop(): Promise<void> {
    return this.#changes.run(async () => {
      const running = this.#running
      this.#running = null
      await running?.close()
    })
  }

  close(): Promise<void> {
    return this.stop()
  }
}
