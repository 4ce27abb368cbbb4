import { useTranslation } from 'react-i18next'
import { paint } from './appearance.ts'
import type { ChartData } from './data.ts'
import { bucketLabelText, mergedLabel } from './labels.ts'
import type { Fold } from './mergeBuckets.ts'
import type { Band } from './useDrawing.ts'

/** Upper limit of series in the floating box. The table contains all. */
const maxParts = 9

/** The values of one bucket, next to it. Screen readers get the same text as the value of the chart. */
export function Readout(props: {
  data: ChartData
  at: number
  picked: string | null
  fold: Fold
  band: Band
  opens: boolean
}) {
  const { t } = useTranslation('chart')
  const { data, at, picked, fold, band, opens } = props
  const bucket = data.buckets[at]
  if (!bucket) return null
  const parts = data.series.flatMap((series) => {
    const figure = series.text(at)
    return figure === null ? [] : [{ ...series, figure }]
  })
  const total = data.total(at)
  const before = data.before?.text(at) ?? null
  const middle = band.left + band.width / 2
  const beside = middle > band.of / 2 ? { right: band.of - band.left + 8 } : { left: band.left + band.width + 8 }
  return (
    <div aria-hidden className="chart-readout" style={beside}>
      <b>{bucketLabelText(bucket, data.grain)}</b>
      {fold.per > 1 && <p>{mergedLabel(data, fold, at)}</p>}
      {bucket.state !== 'whole' && <p data-state={bucket.state}>{t(`state.${bucket.state}`)}</p>}
      {parts.length > 0 && (
        <dl>
          {parts
            .slice(0, maxParts)
            .reverse()
            .map(({ id, name, ink, figure }) => (
              <div key={id} data-picked={picked === id}>
                <dt>
                  <i style={{ background: paint(ink) }} />
                  <span>{name}</span>
                </dt>
                <dd>{figure}</dd>
              </div>
            ))}
        </dl>
      )}
      {bucket.state !== 'gap' && (
        <dl className="chart-readout-sum">
          <div>
            <dt>{t('total')}</dt>
            <dd>{total ?? t('none')}</dd>
          </div>
          {before !== null && (
            <div>
              <dt>{t('before')}</dt>
              <dd>{before}</dd>
            </div>
          )}
        </dl>
      )}
      {opens && parts.length > 0 && <small>{t('open')}</small>}
    </div>
  )
}
