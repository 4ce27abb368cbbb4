import { type AlertFacts, type AlertSettings, alertFacts, alertSettings } from '../../../src-preload/contract/alerts.ts'
import type { Database } from './database.ts'
import { number, parseJson, type Row, readEach, text, textOrNull } from './rows.ts'
import { prepareAll } from './statements.ts'

export interface StoredAlert {
  id: string
  at: string
  /** The watched figure, such as `balance:ACCOUNT`. */
  watch: string
  /** The day or month in which the alert is raised once; null: each time the threshold is crossed. */
  period: string | null
  /** The threshold that was crossed. */
  mark: string
  level: number
  facts: AlertFacts
  /** When the alert ends by itself. */
  endsAt: string | null
  endedAt: string | null
  dismissedAt: string | null
}

/** Number of ended alerts that are stored. */
const mostEnded = 1000
const settingsKey = 'alerts'

/** Defaults. Thresholds for money are the person's to set; alerts that need no figure are on. */
export const firstAlertSettings: AlertSettings = {
  balanceBelow: null,
  spendAbove: null,
  budgets: true,
  budgetAt: 80,
  key: true,
  ban: true,
  cache: true,
  notify: true,
}
export function alertTable({ handle, transaction, journal }: Database) {
  const sql = prepareAll(handle, {
    insert: `INSERT INTO alerts (id, at, watch, period, mark, level, facts, ends_at)
     VALUES (:id, :at, :watch, :period, :mark, :level, :facts, :endsAt)`,
    holding: 'SELECT * FROM alerts WHERE watch = ? AND ended_at IS NULL',
    remove: 'DELETE FROM alerts WHERE watch = ? AND ended_at IS NULL',
    allHolding: 'SELECT * FROM alerts WHERE ended_at IS NULL ORDER BY at',
    reported: 'SELECT 1 FROM alerts WHERE watch = ? AND period = ? AND mark = ? AND level >= ? LIMIT 1',
    mark: 'UPDATE alerts SET mark = ? WHERE id = ?',
    facts: 'UPDATE alerts SET facts = ? WHERE id = ?',
    end: 'UPDATE alerts SET ended_at = ? WHERE id = ? AND ended_at IS NULL',
    endLapsed: 'UPDATE alerts SET ended_at = ends_at WHERE ended_at IS NULL AND ends_at IS NOT NULL AND ends_at <= ?',
    nextEnd: 'SELECT min(ends_at) AS next FROM alerts WHERE ended_at IS NULL AND ends_at IS NOT NULL',
    trim: `DELETE FROM alerts WHERE id IN (
       SELECT id FROM alerts WHERE ended_at IS NOT NULL ORDER BY at DESC, rowid DESC LIMIT -1 OFFSET ${mostEnded})`,
    shown:
      'SELECT * FROM alerts WHERE dismissed_at IS NULL AND (ended_at IS NULL OR ended_at >= ?) ORDER BY at DESC, rowid DESC',
    dismiss: 'UPDATE alerts SET dismissed_at = :at WHERE id = :id AND dismissed_at IS NULL',
    dismissAll: 'UPDATE alerts SET dismissed_at = ? WHERE dismissed_at IS NULL',
    countBefore: 'SELECT count(*) AS n FROM alerts WHERE ended_at IS NOT NULL AND at < ?',
    removeBefore: 'DELETE FROM alerts WHERE ended_at IS NOT NULL AND at < ?',
    setting: 'SELECT value FROM settings WHERE key = ?',
    set: 'INSERT INTO settings (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = :value',
  })

  return {
    /** Runs writes as one transaction. An alert that a power cut loses is raised again. */
    together: journal,
    add({ endedAt: _, dismissedAt: __, ...alert }: StoredAlert): void {
      sql.insert.run({ ...alert, facts: JSON.stringify(alert.facts) })
      sql.trim.run()
    },
    /** The alert of a watch that has not ended. */
    holding(watch: string): StoredAlert | null {
      const row = sql.holding.get(watch)
      const [alert = null] = row ? read(row) : []
      // An unreadable row would prevent the next alert of this watch.
      if (row && !alert) sql.remove.run(watch)
      return alert
    },
    allHolding: (): StoredAlert[] => sql.allHolding.all().flatMap(read),
    /** Whether the threshold was already crossed in that period, at that level or a higher one. */
    reported: (watch: string, period: string, mark: string, level: number): boolean =>
      sql.reported.get(watch, period, mark, level) !== undefined,
    mark: (id: string, value: string): void => void sql.mark.run(value, id),
    /** Replaces the figures of an active alert. */
    refresh: (id: string, facts: AlertFacts): void => void sql.facts.run(JSON.stringify(facts), id),
    end: (id: string, at: string): void => void sql.end.run(at, id),
    /** Ends the alerts with an end time that has passed, and returns how many. */
    endLapsed: (now: string): number => Number(sql.endLapsed.run(now).changes),
    /** When the next alert ends by itself. */
    nextEnd: (): string | null => {
      const row = sql.nextEnd.get()
      return row ? textOrNull(row, 'next') : null
    },
    /** Alerts that were not dismissed, newest first, without alerts that ended before `since`. */
    shown: (since: string): StoredAlert[] => sql.shown.all(since).flatMap(read),
    dismiss: (id: string, at: string): number => transaction(() => Number(sql.dismiss.run({ id, at }).changes)),
    dismissAll: (at: string): number => transaction(() => Number(sql.dismissAll.run(at).changes)),
    /** For deletion by age. An alert that has not ended is not counted. */
    countBefore: (at: string): number => Number(sql.countBefore.get(at)?.n),
    removeBefore: (at: string): number => transaction(() => Number(sql.removeBefore.run(at).changes)),
    /** The stored settings. A setting that this version cannot parse counts as not set. */
    settings(): AlertSettings {
      const row = sql.setting.get(settingsKey)
      return readEach(alertSettings.shape, firstAlertSettings, row && parseJson(text(row, 'value')))
    },
    saveSettings: (value: AlertSettings): void =>
      transaction(() => void sql.set.run({ key: settingsKey, value: JSON.stringify(value) })),
  }
}
export type AlertTable = ReturnType<typeof alertTable>

/** Empty when the facts of an alert cannot be parsed, as after a recovery of the file. If it is still true, it is raised again. */
function read(row: Row): StoredAlert[] {
  const facts = alertFacts.safeParse(parseJson(text(row, 'facts')))
  if (!facts.success) return []
  const alert = {
    id: text(row, 'id'),
    at: text(row, 'at'),
    watch: text(row, 'watch'),
    period: textOrNull(row, 'period'),
    mark: text(row, 'mark'),
    level: number(row, 'level'),
    facts: facts.data,
    endsAt: textOrNull(row, 'ends_at'),
    endedAt: textOrNull(row, 'ended_at'),
    dismissedAt: textOrNull(row, 'dismissed_at'),
  }
  return [alert]
}
