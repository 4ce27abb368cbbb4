import { useTranslation } from 'react-i18next'
import type { Colour } from '../../../src-preload/contract/requests.ts'
import { cx } from '../../shared/ui/cx.ts'
import { showTime, utc } from './figures.ts'

const fills: Record<Colour, string> = {
  blue: 'bg-hue-blue',
  teal: 'bg-hue-teal',
  violet: 'bg-hue-violet',
  amber: 'bg-hue-amber',
  rose: 'bg-hue-rose',
  green: 'bg-hue-green',
  slate: 'bg-hue-slate',
  orange: 'bg-hue-orange',
}
export const inks: Record<Colour, string> = {
  blue: 'text-hue-blue',
  teal: 'text-hue-teal',
  violet: 'text-hue-violet',
  amber: 'text-hue-amber',
  rose: 'text-hue-rose',
  green: 'text-hue-green',
  slate: 'text-hue-slate',
  orange: 'text-hue-orange',
}

/** An app's initial on its colour. Requires the name beside it as text. */
export function Badge({ name, colour, ended = false }: { name: string; colour: Colour; ended?: boolean }) {
  const [initial = '?'] = name.trim().toUpperCase()
  return (
    <span
      aria-hidden
      className={cx(
        'grid size-[18px] shrink-0 place-items-center rounded-s font-[650] text-[12px]',
        ended ? 'bg-hover text-faint' : cx(fills[colour], 'text-on-accent'),
      )}
    >
      {initial}
    </span>
  )
}

export const Dot = ({ colour }: { colour: Colour | null }) => (
  <span aria-hidden className={cx('size-2 shrink-0 rounded-full', colour ? fills[colour] : 'bg-line-strong')} />
)

export const Swatch = ({ colour }: { colour: Colour }) => (
  <span aria-hidden className={cx('block size-4 rounded-full', fills[colour])} />
)

/** An instant in local time. The title is the same instant in UTC, as in the request log. */
export function Time({ at, now, className }: { at: string; now: number; className?: string }) {
  return (
    <time dateTime={at} title={utc(at)} className={className}>
      {showTime(at, now)}
    </time>
  )
}

/** The last 60 minutes as a line. Its accessible name contains the figures. */
export function Sparkline({ perMinute, colour }: { perMinute: readonly number[]; colour: Colour }) {
  const { t } = useTranslation('proxy')
  const most = Math.max(0, ...perMinute)
  const total = perMinute.reduce((sum, count) => sum + count, 0)
  const last = Math.max(1, perMinute.length - 1)
  const points = perMinute.map((count, minute) => `${(minute / last) * 90},${18.5 - (most ? (count / most) * 17 : 0)}`)
  return (
    <svg
      role="img"
      viewBox="0 0 90 20"
      preserveAspectRatio="none"
      aria-label={t('apps.sparkline', { total, most, now: perMinute.at(-1) ?? 0 })}
      className={cx('ms-auto h-5 w-[90px] min-w-0 shrink', most > 0 ? inks[colour] : 'text-line-strong')}
    >
      <polyline
        points={points.length > 1 ? points.join(' ') : '0,18.5 90,18.5'}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.4}
        strokeLinejoin="round"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
