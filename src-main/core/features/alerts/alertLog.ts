import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AlertTable, StoredAlert } from '../../store/alerts.ts'
import type { Measurement } from './measurement.ts'

/**
 * Decides which measurements become alerts, and stores them. One alert per crossing: while an alert is active, its limit raises no second
 * one, except at a higher level, which replaces it. Within a period each level of a limit is reported once. A measurement older than the
 * newest one of its watch is ignored.
 */
export class AlertLog {
  readonly #table: AlertTable
  readonly #now: () => number
  /** Time of the newest measurement per watch, ms since 1970. */
  #newest = new Map<string, number>()

  constructor(table: AlertTable, now: () => number) {
    this.#table = table
    this.#now = now
  }

  /** Processes measurements. Returns the new alerts, and whether anything changed. */
  take(readings: readonly Measurement[]): { reported: StoredAlert[]; changed: boolean } {
    const newest = new Map(this.#newest)
    try {
      return this.#takeInTransaction(readings)
    } catch (thrown) {
      // Restores the times, so that a retry does not ignore these measurements as old.
      this.#newest = newest
      throw thrown
    }
  }

  #takeInTransaction(readings: readonly Measurement[]): { reported: StoredAlert[]; changed: boolean } {
    return this.#table.together(() => {
      const reported: StoredAlert[] = []
      let changed = false
      for (const reading of readings.filter(this.#isNew)) {
        const before = this.#table.holding(reading.watch)
        const active = before && this.#isStillActive(before, reading) ? before : null
        if (before && !active) this.#end(before)
        if (active) changed = this.#refresh(active, reading) || changed
        if (!active && this.#mustReport(reading)) reported.push(this.#add(reading))
        changed ||= before !== null && !active
      }
      return { reported, changed: changed || reported.length > 0 }
    })
  }

  /** Ends active alerts that are no longer watched. Returns whether there were any. */
  drop(isOver: (watch: string) => boolean): boolean {
    const over = this.#table.allHolding().filter(({ watch }) => isOver(watch))
    if (over.length > 0) this.#table.together(() => over.forEach(this.#end))
    return over.length > 0
  }

  /** Ends alerts whose `endsAt` has passed. Returns whether there were any. */
  lapse(): boolean {
    return this.#table.endLapsed(this.#instant()) > 0
  }

  /** Ignores a measurement older than the newest one, unless the clock was set back. */
  readonly #isNew = ({ watch, asOf }: Measurement): boolean => {
    const newest = this.#newest.get(watch)
    if (newest !== undefined && asOf < newest && newest <= this.#now()) return false
    this.#newest.set(watch, asOf)
    return true
  }

  /**
   * Whether an alert stays active after a measurement. If not, it ends, and the measurement may raise a new alert.
   *
   * It ends with its period (a day or a month), at a higher level, and when the figure has recovered. If the person has changed the limit
   * (`mark`), it stays active only while the figure is at its level: the alert then counts for the new limit.
   */
  #isStillActive(holding: StoredAlert, { period, mark, level, recovered }: Measurement): boolean {
    if (holding.period !== period || level > holding.level) return false
    if (holding.mark === mark) return level > 0 || !recovered
    if (level < holding.level) return false
    this.#table.mark(holding.id, mark)
    return true
  }

  /** An active alert shows the figures of now, as every other place does. A lower level keeps those that raised the alert. */
  #refresh({ id, level, facts }: StoredAlert, reading: Measurement): boolean {
    if (reading.level !== level || isDeepStrictEqual(facts, reading.facts)) return false
    this.#table.refresh(id, reading.facts)
    return true
  }

  #mustReport({ watch, period, mark, level }: Measurement): boolean {
    return level > 0 && (period === null || !this.#table.reported(watch, period, mark, level))
  }

  #add({ watch, period, mark, level, endsAt, facts }: Measurement): StoredAlert {
    const alert: StoredAlert = {
      id: randomUUID(),
      at: this.#instant(),
      watch,
      period,
      mark,
      level,
      facts,
      endsAt: endsAt === null ? null : new Date(endsAt).toISOString(),
      endedAt: null,
      dismissedAt: null,
    }
    this.#table.add(alert)
    return alert
  }

  readonly #end = ({ id }: StoredAlert): void => this.#table.end(id, this.#instant())

  #instant(): string {
    return new Date(this.#now()).toISOString()
  }
}
