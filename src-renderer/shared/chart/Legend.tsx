import { useTranslation } from 'react-i18next'
import { paint } from './appearance.ts'
import type { ChartData } from './data.ts'

/** A legend of the colours, the hatch and the line of the previous period. */
export function Legend({ data }: { data: ChartData }) {
  const { t } = useTranslation('chart')
  const states = (['running', 'partial', 'gap'] as const).filter((state) =>
    data.buckets.some((bucket) => bucket.state === state),
  )
  if (data.series.length < 2 && !data.before && states.length === 0) return null
  return (
    <ul aria-label={t('legend')} className="chart-legend">
      {data.series.length > 1 &&
        data.series.map(({ id, name, ink }) => (
          <li key={id}>
            <i aria-hidden style={{ background: paint(ink) }} />
            <span dir="auto">{name}</span>
          </li>
        ))}
      {data.before && (
        <li>
          <i aria-hidden data-state="before" />
          {t('key.before')}
        </li>
      )}
      {states.map((state) => (
        <li key={state}>
          <i aria-hidden data-state={state} />
          {t(`key.${state}`)}
        </li>
      ))}
    </ul>
  )
}
