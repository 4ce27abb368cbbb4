import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PageView } from '../../../src-preload/contract/columns.ts'
import type { Comparison, Figures } from '../../../src-preload/contract/usage.ts'
import { showCount, showSc, showShare } from '../../i18n/format.ts'
import { paint } from '../../shared/chart/appearance.ts'
import type { ChartData, Ink } from '../../shared/chart/data.ts'
import { bucketLabelText } from '../../shared/chart/labels.ts'
import { shareOf } from '../../shared/money/sc.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { type FiguresColumn, FiguresTable } from '../../shared/ui/FiguresTable.tsx'
import { type StackBy, type UsageAnswer, useUsage } from '../../stores/usage.ts'
import { openRequests } from './actions.ts'
import { inkOf, restId } from './figures.ts'
import { TableAmount } from './ReportedFigures.tsx'
import { useSeriesName } from './seriesNames.ts'

/** Number of rows shown at first and added per click, because ten years of days are a long table. */
const rowsAtOnce = 100

/** The chart's buckets as rows, newest first, with the same texts. */
export function BucketTable(props: {
  view: PageView
  data: ChartData
  onOpen: (at: number, id: string | null) => void
}) {
  const { t } = useTranslation('usage')
  const { view, data, onOpen } = props
  const { grain } = view.query
  const rows = data.buckets.map((bucket, at) => ({ bucket, at })).reverse()
  return (
    <LongTable
      className="figures-box"
      moreClassName="mt-2"
      columns={[
        { id: 'bucket', title: t(`table.buckets.${grain}`) },
        ...data.series.map(({ id, name, ink }) => ({
          id: `series ${id}`,
          title: <Name ink={ink} name={name} />,
          num: true,
        })),
        { id: 'total', title: t('table.total'), num: true },
      ]}
      rows={rows}
    >
      {({ bucket, at }) => (
        <tr key={bucket.from} data-state={bucket.state}>
          <th scope="row">
            <button
              type="button"
              className="figures-open"
              aria-label={t('table.openDay', { day: bucketLabelText(bucket, grain) })}
              onClick={() => onOpen(at, null)}
            >
              {bucketLabelText(bucket, grain)}
            </button>
            {bucket.state !== 'whole' && <small>{t(`table.${bucket.state}`)}</small>}
            {view.series.some(({ incomplete }) => (incomplete.at(at) ?? 0) > 0) && (
              <small>{t('table.incomplete')}</small>
            )}
          </th>
          {data.series.map(({ id, text }) => (
            <td key={id} className="num">
              {text(at) ?? <Dash />}
            </td>
          ))}
          <td className="num">{bucket.state === 'gap' ? <Dash /> : (data.total(at) ?? <Dash />)}</td>
        </tr>
      )}
    </LongTable>
  )
}

const Dash = () => <span className="text-faint">–</span>

function Name({ ink, name }: { ink: Ink | null; name: string }) {
  return (
    <span className="figures-name">
      {ink !== null && <i aria-hidden style={{ background: paint(ink) }} />}
      <span dir="auto" title={name}>
        {name}
      </span>
    </span>
  )
}

/** All figures per group over the whole period. For models, with the figures of this computer beside them. */
export function SeriesTable({ answer }: { answer: UsageAnswer }) {
  const { view } = answer
  const { by } = view.query
  return by === 'model' ? <ModelTable answer={answer} /> : <PlainTable view={view} by={by} />
}

const count = (value: number | null): string => (value === null ? '–' : showCount(value))
const cost = (figures: Figures, unknown: string): ReactNode =>
  figures.cost === null ? (
    unknown
  ) : (
    <TableAmount amount={figures.cost} isEstimated={figures.estimated > 0} isPart={figures.missing.cost > 0} />
  )

function PlainTable({ view, by }: { view: PageView; by: StackBy }) {
  const { t } = useTranslation('usage')
  const nameOf = useSeriesName(by)
  const { from, to } = view.query
  return (
    <div className="figures-box usage-totals">
      <FiguresTable
        label={t('table.label')}
        columns={[
          { id: 'name', title: t(`table.names.${by}`) },
          ...(['requests', 'tokensIn', 'cached', 'tokensOut', 'cost', 'share'] as const).map((id) => ({
            id,
            title: t(`table.${id}`),
            num: true,
          })),
        ]}
        foot={
          <tr>
            <th scope="row">{t('table.total')}</th>
            <td className="num">{count(view.total.requests)}</td>
            <td className="num">{count(view.total.tokensIn)}</td>
            <td className="num">{count(view.total.tokensCached)}</td>
            <td className="num">{count(view.total.tokensOut)}</td>
            <td className="num">{cost(view.total, t('table.unknown'))}</td>
            <td />
          </tr>
        }
      >
        {view.series.map((series, place) => {
          const { id, total } = series
          const share = total.cost === null || view.total.cost === null ? null : shareOf(total.cost, view.total.cost)
          return (
            <tr key={id}>
              <th scope="row">
                <Open name={nameOf(series)} onOpen={() => openRequests(from, to, by, id)}>
                  <Name ink={inkOf(series, place, view)} name={nameOf(series)} />
                </Open>
              </th>
              <td className="num">{count(total.requests)}</td>
              <td className="num">{count(total.tokensIn)}</td>
              <td className="num">{count(total.tokensCached)}</td>
              <td className="num">{count(total.tokensOut)}</td>
              <td className="num">{cost(total, t('table.unknown'))}</td>
              <td className="num text-soft">{share === null ? '–' : showShare(share)}</td>
            </tr>
          )
        })}
      </FiguresTable>
    </div>
  )
}

function Open(props: { name: string; onOpen: () => void; children: ReactNode }) {
  const { t } = useTranslation('usage')
  return (
    <button
      type="button"
      className="figures-open"
      aria-label={t('table.open', { name: props.name })}
      onClick={props.onOpen}
    >
      {props.children}
    </button>
  )
}

/** All models of the period, most expensive first: the service's figures beside this computer's. */
function ModelTable({ answer: { view, comparisons } }: { answer: UsageAnswer }) {
  const { t } = useTranslation('usage')
  const search = useUsage((store) => store.search.trim().toLowerCase())
  const { from, to, source } = view.query
  const inkOf = (model: string): Ink => {
    const place = view.series.findIndex(({ id }) => id === model)
    return place < 0 || model === restId ? 'rest' : place
  }
  const side = (one: Comparison): Figures | null => (source === 'service' ? (one.service ?? one.here) : one.here)
  const rows = comparisons
    .filter((one) => side(one) !== null && one.model.toLowerCase().includes(search))
    .sort((a, b) => byCost(side(a)?.cost ?? null, side(b)?.cost ?? null))
  if (rows.length === 0) return null
  return (
    <LongTable
      className="figures-box usage-totals"
      moreClassName="m-2"
      columns={[
        { id: 'model', title: t('table.names.model') },
        ...(['requests', 'tokensIn', 'cached', 'tokensOut', 'service', 'here', 'difference'] as const).map((id) => ({
          id,
          title: t(`table.${id}`),
          num: true,
        })),
      ]}
      rows={rows}
    >
      {(one) => {
        const figures = side(one)
        return (
          <tr key={one.model}>
            <th scope="row">
              <Open name={one.model} onOpen={() => openRequests(from, to, 'model', one.model)}>
                <Name ink={inkOf(one.model)} name={one.model} />
              </Open>
            </th>
            <td className="num">{count(figures?.requests ?? null)}</td>
            <td className="num">{count(figures?.tokensIn ?? null)}</td>
            <td className="num">{count(figures?.tokensCached ?? null)}</td>
            <td className="num">{count(figures?.tokensOut ?? null)}</td>
            <td className="num">{one.service ? cost(one.service, t('table.unknown')) : '–'}</td>
            <td className="num">{one.here ? cost(one.here, t('table.unknown')) : '–'}</td>
            <td className="num text-soft">
              <Difference one={one} />
            </td>
          </tr>
        )
      }}
    </LongTable>
  )
}

/** The difference as one term. */
export function Difference({ one }: { one: Comparison }) {
  const { t } = useTranslation('usage')
  if (one.drift === 'same') return '–'
  const amount = one.elsewhere === null || one.drift === 'unpriced' ? null : showSc(one.elsewhere)
  const reason = t(`elsewhere.driftShort.${one.drift}`)
  if (amount === null) return <span title={t(`elsewhere.drift.${one.drift}`)}>{reason}</span>
  return (
    <span title={t(`elsewhere.drift.${one.drift}`)}>
      {amount} <span className="usage-reason">{reason}</span>
    </span>
  )
}

/** Most expensive first, unknown last. */
function byCost(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return Number(b) - Number(a)
}

interface LongTableProps<Row> {
  columns: readonly FiguresColumn[]
  rows: readonly Row[]
  children: (row: Row) => ReactNode
  className: string
  /** Spacing of the button for more rows. */
  moreClassName: string
}

/** A table that shows its first rows, and more of them after a click. */
function LongTable<Row>({ columns, rows, children, className, moreClassName }: LongTableProps<Row>) {
  const { t } = useTranslation('usage')
  const [most, setMost] = useState(rowsAtOnce)
  const more = rows.length - most
  return (
    <div className={className}>
      <FiguresTable label={t('table.label')} columns={columns}>
        {rows.slice(0, most).map(children)}
      </FiguresTable>
      {more > 0 && (
        <Button variant="plain" onClick={() => setMost(most + rowsAtOnce)} className={moreClassName}>
          {t('table.more', { count: Math.min(more, rowsAtOnce) })}
        </Button>
      )}
    </div>
  )
}
