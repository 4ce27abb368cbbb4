import { randomUUID } from 'node:crypto'
import type { AlertTable, StoredAlert } from '../../store/alerts.ts'
import type { Measurement } from './measurement.ts'

/**
 * Remembers what was told. One alert a crossing: while one holds, the same line is not told again; a farther level takes its place. A period
 * tells each level of a line once. What is older than what was heard last says nothing.
 */
export class AlertLog {
  readonly #table: AlertTable
  readonly #now: () => number
  /** By watch, ms since 1970: the newest figure that was heard. */
  #heard = new Map<string, number>()

  constructor(table: AlertTable, now: () => number) {
    this.#table = table
    this.#now = now
  }

  /** Takes in what figures say; answers what was told and whether anything changed. */
  take(readings: readonly Measurement[]): { reported: StoredAlert[]; changed: boolean } {
    const heard = new Map(this.#heard)
    try {
      return this.#takeTogether(readings)
    } catch (thrown) {
      // They are news when they come again.
      this.#heard = heard
      throw thrown
    }
  }

  #takeTogether(readings: readonly Measurement[]): { reported: StoredAlert[]; changed: boolean } {
    return this.#table.together(() => {
      const reported: StoredAlert[] = []
      let changed = false
      for (const reading of readings.filter(this.#isNews)) {
        const before = this.#table.holding(reading.watch)
        const holds = before && this.#stillHolds(before, reading) ? before : null
        if (before && !holds) this.#end(before)
        if (!holds && this.#isToTell(reading)) reported.push(this.#add(reading))
        changed ||= before !== null && !holds
      }
      return { reported, changed: changed || reported.length > 0 }
    })
  }

  /** Ends what holds and is watched no longer; whether there was any. */
  drop(isOver: (watch: string) => boolean): boolean {
    const over = this.#table.allHolding().filter(({ watch }) => isOver(watch))
    if (over.length > 0) this.#table.together(() => over.forEach(this.#end))
    return over.length > 0
  }

  /** Ends what is over by itself; whether there was any. */
  lapse(): boolean {
    return this.#table.endLapsed(this.#instant()) > 0
  }

  /** A figure of before the newest one is no news; but the clock may have been put back. */
  readonly #isNews = ({ watch, asOf }: Measurement): boolean => {
    const heard = this.#heard.get(watch)
    if (heard !== undefined && asOf < heard && heard <= this.#now()) return false
    this.#heard.set(watch, asOf)
    return true
  }

  /** A line that was moved and is crossed as far as before is the same crossing; one that is not ends it, and is judged anew. */
  #stillHolds(holding: StoredAlert, { period, mark, level, recovered }: Measurement): boolean {
    if (holding.period !== period || level > holding.level) return false
    if (holding.mark === mark) return level > 0 || !recovered
    if (level < holding.level) return false
    this.#table.mark(holding.id, mark)
    return true
  }

  #isToTell({ watch, period, mark, level }: Measurement): boolean {
    return level > 0 && (period === null || !this.#table.reported(watch, period, mark, level))
  }

  #add({ watch, period, mark, level, endsAt, facts }: Measurement): StoredAlert {
    const alert: StoredAlert = {
      ...{ id: randomUUID(), at: this.#instant(), watch, period, mark, level, facts },
      ...{ endsAt: endsAt === null ? null : new Date(endsAt).toISOString(), endedAt: null, dismissedAt: null },
    }
    this.#table.add(alert)
    return alert
  }

  readonly #end = ({ id }: StoredAlert): void => this.#table.end(id, this.#instant())

  #instant(): string {
    return new Date(this.#now()).toISOString()
  }
}
