import {
  asSentence,
  joinSentences,
  showCalendarDate,
  showCalendarDay,
  showCalendarLong,
  showCalendarMonth,
  showNamed,
} from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import type { ChartBucket, ChartData } from './data.ts'
import { barOf, type Fold } from './mergeBuckets.ts'

/** The days of a bucket: one day with its weekday, a whole month by its name, otherwise first and last day. */
export function bucketLabelText({ from, to }: ChartBucket, grain: ChartData['grain']): string {
  if (from === to) return showCalendarLong(from)
  const whole = from.endsWith('-01') && new Date(Date.parse(`${to}T00:00:00Z`) + 86_400_000).getUTCDate() === 1
  if (grain === 'month' && whole) return showCalendarMonth(from)
  return i18n.t('chart:fromTo', { from: showCalendarDay(from), to: showCalendarLong(to) })
}

/** For a bucket that shares its bar with others: the days of the bar, and whether this bucket is the drawn one. */
export function mergedLabel(data: ChartData, fold: Fold, at: number): string {
  const { first, last } = barOf(fold, at, data.buckets.length)
  const [from, to] = [data.buckets[first]?.from ?? '', data.buckets[last]?.to ?? '']
  const days = { from: showCalendarDay(from), to: showCalendarDate(to) }
  return i18n.t(fold.peaks.includes(at) ? 'chart:foldHighest' : 'chart:foldOther', days)
}

/** With pauses, as a screen reader makes them after sentences. */
const inSentences = (parts: readonly (string | false | null)[]): string =>
  joinSentences(parts.map((part) => part && asSentence(part)))

/** The text of a bucket for screen readers: the sum first, then the series. Only the selected series when there is one. */
export function spokenBucket(data: ChartData, at: number, picked: string | null): string {
  const bucket = data.buckets[at]
  if (!bucket) return ''
  const parts = data.series.flatMap(({ id, name, text }) => {
    const figure = text(at)
    return figure === null || (picked !== null && picked !== id) ? [] : [i18n.t('chart:spokenPart', { name, figure })]
  })
  const total = bucket.state === 'gap' ? null : (data.total(at) ?? i18n.t('chart:none'))
  const state = bucket.state === 'whole' ? null : i18n.t(`chart:state.${bucket.state}`)
  const when = bucketLabelText(bucket, data.grain)
  if (picked !== null && parts.length > 0) return showNamed(when, inSentences([...parts, state]))
  const head = total === null ? showNamed(when, state ?? '') : i18n.t('chart:spoken', { when, total })
  return inSentences([head, ...(data.series.length > 1 ? parts : []), total !== null && state])
}
