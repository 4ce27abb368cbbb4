import { showCalendarDate, showCalendarDay, showCalendarLong, showCalendarMonth } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import type { ChartBucket, ChartData } from './data.ts'
import { barOf, type Fold } from './mergeBuckets.ts'

/** A bucket's days: a day with its weekday, a whole month by its name, else from and to. */
export function bucketLabelText({ from, to }: ChartBucket, grain: ChartData['grain']): string {
  if (from === to) return showCalendarLong(from)
  const whole = from.endsWith('-01') && new Date(Date.parse(`${to}T00:00:00Z`) + 86_400_000).getUTCDate() === 1
  if (grain === 'month' && whole) return showCalendarMonth(from)
  return i18n.t('chart:fromTo', { from: showCalendarDay(from), to: showCalendarLong(to) })
}

/** Where a bucket stands that shares its bar with others: whether it is the one that is drawn, and of which days. */
export function mergedLabel(data: ChartData, fold: Fold, at: number): string {
  const { first, last } = barOf(fold, at, data.buckets.length)
  const [from, to] = [data.buckets[first]?.from ?? '', data.buckets[last]?.to ?? '']
  const days = { from: showCalendarDay(from), to: showCalendarDate(to) }
  return i18n.t(fold.peaks.includes(at) ? 'chart:foldHighest' : 'chart:foldOther', days)
}

/** What a bucket holds, to be read out: the whole first, then its parts, the part picked alone where there is one. */
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
  if (picked !== null && parts.length > 0) return [`${when}: ${parts.join('')}`, state].filter(Boolean).join('; ')
  const head = total === null ? `${when}: ${state ?? ''}` : i18n.t('chart:spoken', { when, total })
  return [head, ...(data.series.length > 1 ? parts : []), total === null ? null : state].filter(Boolean).join('; ')
}
