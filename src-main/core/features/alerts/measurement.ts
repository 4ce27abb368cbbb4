import type { AlertFacts } from '../../../../src-preload/contract/alerts.ts'

/** A figure compared with one watched limit. */
export interface Measurement {
  /** Id of the watched figure, such as `balance:ACCOUNT`. */
  watch: string
  /** The day or month in which each level is reported once. Null: a level can be reported again after the figure has recovered. */
  period: string | null
  /** The limit as text. A changed limit has another text. */
  mark: string
  /** How far the limit is crossed; 0: not crossed. */
  level: 0 | 1 | 2 | 3
  /** Whether the figure is far enough from the limit that the next crossing counts as new. */
  recovered: boolean
  /** When the figure was valid, ms since 1970. */
  asOf: number
  /** When the alert ends by itself, ms since 1970; null: only with a later figure. */
  endsAt: number | null
  facts: AlertFacts
}
