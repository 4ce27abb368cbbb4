import { useTranslation } from 'react-i18next'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { cx } from '../../shared/ui/cx.ts'
import { showMs } from './figures.ts'
import { type PhaseName, timeline } from './timeline.ts'

const fills: Record<PhaseName, string> = {
  queued: 'bg-faint',
  backoff: 'bg-warn',
  connecting: 'bg-c3',
  waiting: 'bg-c4',
  streaming: 'bg-c1',
}

/** The phases of a request: one bar each, with name and duration. */
export function TimelineBars({ row, now }: { row: RequestRow; now: number }) {
  const { t } = useTranslation('proxy')
  const { phases, total } = timeline(row, now)
  if (phases.length === 0) return <p className="text-faint">{t('detail.timeline.none')}</p>
  return (
    <ol className="num flex flex-col gap-1.5 text-s">
      {phases.map(({ name, from, ms }) => (
        <li key={name} className="grid grid-cols-[70px_minmax(0,1fr)_62px] items-center gap-1">
          <span className="text-soft">{t(`detail.timeline.${name}`)}</span>
          <span aria-hidden className="relative h-2.5">
            <span
              className={cx('absolute inset-y-0 min-w-[3px] rounded-[3px]', fills[name])}
              style={{ left: `${Math.min((from / total) * 100, 98)}%`, width: `${(ms / total) * 100}%` }}
            />
          </span>
          <span className="text-end">{showMs(ms)}</span>
        </li>
      ))}
      <li className="grid grid-cols-[minmax(0,1fr)_62px] gap-1 border-line border-t pt-1.5">
        <span className="text-soft">{t('detail.timeline.total')}</span>
        <span className="text-end font-[540]">{showMs(total)}</span>
      </li>
    </ol>
  )
}
