import type { AlertFacts } from '../../../../src-preload/contract/alerts.ts'

/** What a figure says of one line that is watched. */
export interface Measurement {
  /** What is watched, such as `balance:BOOK`. */
  watch: string
  /** The day or month in which each level is told once; null: it may be crossed again as soon as it has recovered. */
  period: string | null
  /** The line as text: a changed one is another line. */
  mark: string
  /** How far it is crossed; 0: it is not. */
  level: 0 | 1 | 2
  /** Not crossed, and so far from it that the next crossing is a new one. */
  recovered: boolean
  /** ms since 1970: when the figure held. */
  asOf: number
  /** ms since 1970: when it is over by itself, at the latest; null: only by a figure. */
  endsAt: number | null
  facts: AlertFacts
}
