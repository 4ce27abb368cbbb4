import { SquareCheck } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { cx } from '../../shared/ui/cx.ts'
import { Pill } from '../../shared/ui/Pill.tsx'
import { WithSc } from '../../shared/ui/WithSc.tsx'
import { useNow } from '../../shared/useNow.ts'
import { isOpen } from '../../stores/requests.ts'
import { Dot, Time } from './appearance.tsx'
import { count, requestedModel, showMs, showSc } from './figures.ts'
import type { useRowTexts } from './rowMessages.ts'

export const rowHeight = 32

/**
 * One grid for the header and all rows, whose figures fit with the mark of estimates in every language and at every text size. Narrow logs
 * omit columns that the details also contain.
 */
export const columns = cx(
  'grid items-center gap-x-2.5 px-3',
  'grid-cols-[5.2em_minmax(0,0.8fr)_minmax(0,1.2fr)_5.5em]',
  '@min-[520px]:grid-cols-[6.3em_minmax(0,1.15fr)_minmax(0,1.75fr)_minmax(4em,0.6fr)_9.4em]',
  '@min-[760px]:grid-cols-[7.5em_minmax(0,1fr)_6em_minmax(0,1fr)_minmax(0,1.6fr)_5.2em_12em_9.4em]',
  '@min-[900px]:grid-cols-[7.5em_minmax(0,1.1fr)_6.3em_minmax(0,1.5fr)_minmax(0,1.8fr)_5.3em_5.2em_12em_9.4em]',
)
/** Not in a log as narrow as a phone. */
export const notNarrowest = 'hidden @min-[520px]:block'
export const wideOnly = 'hidden @min-[760px]:block'
export const widestOnly = 'hidden @min-[900px]:block'
const narrowOnly = '@min-[760px]:hidden'

export const rowId = (id: number): string => `request-${id}`

/** The texts of a row, passed as a prop because translating in each cell would cost more than rendering the cell. */
export type RowTexts = ReturnType<typeof useRowTexts>

export const LogRow = memo(function LogRow(props: {
  words: RowTexts
  row: RequestRow | null
  index: number
  selected: boolean
  /** Selected for a replay or a fixture. */
  marked: boolean
  current: boolean
  /** Start of today in local time. Times before it are shown with their day. */
  today: number
  /** `marks`: with Ctrl or ⌘, the row is selected for a replay instead. */
  onOpen: (row: RequestRow, marks: boolean) => void
}) {
  const { row, index } = props
  if (!row) return <LoadingRow index={index} words={props.words} />
  return (
    // biome-ignore lint/a11y: the grid has the keys and the focus, and a virtualized table cannot be a <table>
    <div
      id={rowId(row.id)}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={props.selected}
      onClick={({ ctrlKey, metaKey }) => props.onOpen(row, ctrlKey || metaKey)}
      className={cx(
        'num border-line border-b text-s contain-strict',
        columns,
        props.selected ? 'bg-pick' : 'hover:bg-hover',
        props.current && 'in-[[role=grid]:focus-visible]:shadow-[inset_0_0_0_2px_var(--accent)]',
      )}
      style={{ height: rowHeight }}
    >
      <Cells row={row} marked={props.marked} today={props.today} words={props.words} />
    </div>
  )
})

function Cell({ className, title, children }: { className?: string; title?: string | undefined; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y: the grid handles the keys of its cells, and a virtualized table cannot be a <table>
    <div role="gridcell" title={title} className={cx('min-w-0 truncate', className)}>
      {children}
    </div>
  )
}
const right = 'text-end'

function Cells(props: { row: RequestRow; marked: boolean; today: number; words: RowTexts }) {
  const { row, marked, today } = props
  const { t, who, status, reason } = props.words
  const name = who(row.who)
  const { words, tone } = status(row)
  const why = reason(row)
  const model = requestedModel(row)
  const endpoint = row.endpoint === 'other' ? row.path : t(`common:endpoints.${row.endpoint}`)
  return (
    <>
      <Cell>
        <Time at={row.at} now={today} />
      </Cell>
      <Cell className="flex items-center gap-2" title={name}>
        {marked ? (
          <SquareCheck role="img" aria-label={t('again.marked')} size={14} className="shrink-0 text-accent" />
        ) : (
          <Dot colour={row.who.kind === 'app' ? row.who.colour : null} />
        )}
        {/* An app keeps its own spelling, and the description of an unknown caller begins a line. */}
        <span className={cx('truncate', row.who.kind === 'stranger' && 'first-letter:uppercase')}>{name}</span>
      </Cell>
      <Cell className={notNarrowest} title={`${row.method} ${row.path}${model ? `\n${model}` : ''}`}>
        {endpoint}
        {model && <span className={cx(narrowOnly, "text-soft before:mx-1 before:content-['·']")}>{model}</span>}
      </Cell>
      <Cell className={wideOnly} title={model ?? undefined}>
        {model ?? '—'}
      </Cell>
      {/* A reason without space for a few words wraps to a second line, which is hidden. */}
      <Cell className="flex h-5 flex-wrap items-center gap-x-1.5" title={why ?? undefined}>
        <Pill tone={tone}>{words}</Pill>
        {row.times > 1 && (
          <span className="text-soft" title={t('log.timesLong', { count: row.times, figure: count(row.times) })}>
            {t('log.times', { figure: count(row.times) })}
          </span>
        )}
        {why && <span className="min-w-0 flex-1 basis-14 truncate text-soft">{why}</span>}
      </Cell>
      <Cell className={cx(right, widestOnly)}>{row.firstByteMs === null ? '—' : showMs(row.firstByteMs)}</Cell>
      <Cell className={cx(right, wideOnly)}>
        <Took row={row} />
      </Cell>
      <Cell className={cx(right, wideOnly)}>
        <Tokens row={row} t={t} />
      </Cell>
      {/* As narrow as a phone, the mark of an estimate is below its figure. */}
      <Cell className={cx(right, '@max-[520px]:whitespace-normal @max-[520px]:leading-[1.2]')}>
        <Cost row={row} t={t} />
      </Cell>
    </>
  )
}

function Took({ row }: { row: RequestRow }) {
  if (row.durationMs !== null) return showMs(row.durationMs)
  return isOpen(row) ? <Elapsed since={row.at} /> : '—'
}

function Elapsed({ since }: { since: string }) {
  const now = useNow(200)
  return showMs(Math.max(0, now - Date.parse(since)))
}

/** The one mark of estimates, beside a figure. */
const Estimated = ({ t }: { t: RowTexts['t'] }) => (
  <span className="text-faint">
    {' '}
    <WithSc text={t('log.estimated')} />
  </span>
)

/** Tokens in and out. */
function Tokens({ row, t }: { row: RequestRow; t: RowTexts['t'] }) {
  if (row.tokensIn === null && row.tokensOut === null) return '—'
  const of = (tokens: number | null) => (tokens === null ? '?' : count(tokens))
  return (
    <>
      {`${of(row.tokensIn)} → ${of(row.tokensOut)}`}
      {row.tokensAre === 'estimated' && <Estimated t={t} />}
    </>
  )
}

function Cost({ row, t }: { row: RequestRow; t: RowTexts['t'] }) {
  if (row.cost === null) {
    if (row.state === 'refused' || isOpen(row)) return '—'
    return (
      <span className="text-soft" title={t('log.unknownTitle')}>
        {t('log.unknownCost')}
      </span>
    )
  }
  const title = t(row.costIs === 'estimated' ? 'log.estimatedTitle' : 'log.measuredTitle', { amount: row.cost })
  return (
    <span title={title}>
      {showSc(row.cost)}
      {row.costIs === 'estimated' && <Estimated t={t} />}
    </span>
  )
}

function LoadingRow({ index, words: { t } }: { index: number; words: RowTexts }) {
  return (
    // biome-ignore lint/a11y: see above
    <div
      role="row"
      aria-rowindex={index + 2}
      className="flex items-center border-line border-b px-3 text-faint text-s"
      style={{ height: rowHeight }}
    >
      <Cell>{t('log.loadingRow')}</Cell>
    </div>
  )
}
