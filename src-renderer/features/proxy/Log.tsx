import { ArrowUp, ListX, ScrollText } from 'lucide-react'
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { Virtualizer } from 'virtua'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { SessionTable } from '../../shared/sessions/SessionTable.tsx'
import { Button } from '../../shared/ui/Button.tsx'
import { Card } from '../../shared/ui/Card.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'
import { Segmented } from '../../shared/ui/Segmented.tsx'
import { WithSc } from '../../shared/ui/WithSc.tsx'
import { useNow } from '../../shared/useNow.ts'
import { indexOf, rowAt } from '../../stores/requestPages.ts'
import { defaultFilter, isFiltered, listed, requestsStore, useRequests } from '../../stores/requests.ts'
import { useRoute } from '../../stores/route.ts'
import {
  closeDetail,
  filterBy,
  followNewest,
  inspect,
  inspectRow,
  leaveNewest,
  loadVisible,
  toggleMark,
} from './actions.ts'
import { count } from './figures.ts'
import { LoadingCard } from './LoadingCard.tsx'
import { LogBar } from './LogBar.tsx'
import { columns, LogRow, notNarrowest, rowHeight, rowId, wideOnly, widestOnly } from './LogRow.tsx'
import { useRowTexts } from './rowMessages.ts'

/** One row for each request, or for each conversation of an app. */
const views = ['requests', 'sessions'] as const

/** The live log, inside the scrolling stage `box`. Its bar and column headers are sticky. */
export function Log({ box }: { box: RefObject<HTMLDivElement | null> }) {
  const { t } = useTranslation('proxy')
  const bar = useRef<HTMLDivElement>(null)
  const measures = useRef<Measures>({ margin: 0, bar: 0, height: 800 })
  const toNewest = () => {
    followNewest()
    const element = box.current
    const { margin, bar } = measures.current
    // Scrolls only when the newest row is above the view.
    if (element) element.scrollTop = Math.min(element.scrollTop, Math.max(0, margin - headHeight - bar))
  }
  const follow = () => (requestsStore.getState().following ? leaveNewest() : toNewest())
  const state = useRequests((store) => store.state)
  const problem = useRequests((store) => store.problem)
  const rows = useRequests(listed)
  const fresh = useRequests((store) => (store.following ? 0 : store.freshCount))
  const filter = useRequests((store) => store.filter)
  const section = useRef<HTMLElement>(null)
  const [view, setView] = useState<(typeof views)[number]>('requests')
  const { id } = useRoute()
  // A link to filtered requests scrolls to the log, past the cards.
  useEffect(() => {
    if (id === 'requests') section.current?.scrollIntoView({ block: 'start' })
  }, [id])
  return (
    <section ref={section} aria-label={t('log.title')} className="@container flex flex-col gap-px">
      <div ref={bar} className="-mx-0.5 sticky top-0 z-20 bg-bg px-0.5 pt-3">
        <div className={cx('flex flex-wrap items-start gap-2', view === 'sessions' && 'pb-3')}>
          <Segmented
            label={t('log.view')}
            value={view}
            segments={views.map((value) => ({ value, label: t(`log.views.${value}`) }))}
            onChange={setView}
          />
          {view === 'requests' && (
            <div className="min-w-0 flex-1 basis-80">
              <LogBar onFollow={follow} />
            </div>
          )}
        </div>
        {fresh > 0 && view === 'requests' && (
          <div className="pointer-events-none absolute inset-x-0 top-full z-10 flex justify-center pt-9">
            <button
              type="button"
              onClick={toNewest}
              className="num pointer-events-auto inline-flex h-7 animate-appear items-center gap-1.5 rounded-full bg-accent px-3 font-[540] text-on-accent text-s shadow-large"
            >
              <ArrowUp aria-hidden size={14} />
              {t('log.fresh', { count: fresh, figure: count(fresh) })}
            </button>
          </div>
        )}
      </div>
      {view === 'sessions' && <SessionTable onRequest={inspectRow} />}
      {view === 'requests' && state === 'failed' && problem && (
        <ProblemNotice problem={problem} on={{ retry: () => filterBy(requestsStore.getState().filter) }} />
      )}
      {view === 'requests' && state === 'loading' && (
        <LoadingCard label={t('log.loading')} widths={['w-2/3', 'w-full', 'w-1/2', 'w-3/4', 'w-1/3']} />
      )}
      {view === 'requests' && state === 'live' && rows === 0 && fresh === 0 && (
        <Nothing filtered={isFiltered(filter)} />
      )}
      {view === 'requests' && state === 'live' && rows > 0 && (
        <Grid box={box} bar={bar} measures={measures} rows={rows} />
      )}
    </section>
  )
}

function Nothing({ filtered }: { filtered: boolean }) {
  const { t } = useTranslation('proxy')
  return (
    <Card>
      {filtered ? (
        <EmptyState
          icon={ListX}
          title={t('log.noMatchTitle')}
          action={<Button onClick={() => filterBy(defaultFilter)}>{t('log.clear')}</Button>}
        >
          {t('log.noMatch')}
        </EmptyState>
      ) : (
        <EmptyState icon={ScrollText} title={t('log.emptyTitle')}>
          {t('log.empty')}
        </EmptyState>
      )}
    </Card>
  )
}

/** In px: the offset of the first row in the scrolling stage, the height covered by the bar, and the visible height. */
interface Measures {
  margin: number
  bar: number
  height: number
}

interface GridProps {
  box: RefObject<HTMLDivElement | null>
  bar: RefObject<HTMLDivElement | null>
  measures: RefObject<Measures>
  rows: number
}

const headHeight = 33
/** Rows rendered before and after the visible ones. */
const drawnAhead = 8
/** Rows before and after the visible ones that are loaded in advance. */
const ahead = 40

function Grid({ box, bar, measures, rows }: GridProps) {
  const { t } = useTranslation('proxy')
  const words = useRowTexts()
  const held = useRequests((store) => store.held)
  const selected = useRequests((store) => store.selected)
  const marked = useRequests((store) => store.marked)
  const today = useToday()
  const grid = useRef<HTMLDivElement>(null)
  const { margin, bar: covered, height } = useMeasures(box, grid, bar, measures)
  const { loadShown, onScroll } = useVisibleRows(box, measures)
  const { current, onKeyDown, openRow, onFocus } = useCursor(box, measures, selected)
  // Reuses the elements of rows that leave the view: changing their text costs a fifth of creating elements. Counted from the oldest row, so
  // that a newer one moves the elements instead of their texts, also under a pressed pointer.
  const slots = Math.ceil(height / rowHeight) + 2 * drawnAhead + 3
  // virtua needs only the length. The rows stay in the store.
  const places = useMemo(() => ({ length: rows }) as ArrayLike<undefined>, [rows])
  // biome-ignore lint/correctness/useExhaustiveDependencies: with other rows, the same view may need more rows
  useEffect(loadShown, [held, rows])

  return (
    // biome-ignore lint/a11y/useSemanticElements: only visible rows exist, at absolute positions, which a <table> does not allow
    <div
      ref={grid}
      role="grid"
      aria-label={t('log.title')}
      aria-rowcount={rows + 1}
      aria-description={t('again.markKey')}
      aria-activedescendant={current === null ? undefined : rowId(current)}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={onFocus}
      className="flow-root rounded-l bg-raise shadow-[0_0_0_1px_var(--line)] focus-visible:outline-none"
    >
      <Head top={covered} />
      {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
      <div role="rowgroup" className="-mb-px overflow-clip rounded-b-l">
        <Virtualizer
          scrollRef={box}
          startMargin={margin}
          itemSize={rowHeight}
          bufferSize={rowHeight * drawnAhead}
          data={places}
          onScroll={onScroll}
        >
          {(_, index) => {
            const row = rowAt(held, index)
            return (
              <LogRow
                key={(rows - index) % slots}
                words={words}
                row={row}
                index={index}
                selected={row !== null && row.id === selected}
                marked={row !== null && marked.has(row.id)}
                current={row !== null && row.id === current}
                today={today}
                onOpen={openRow}
              />
            )
          }}
        </Virtualizer>
      </div>
    </div>
  )
}

const heads = ['time', 'app', 'endpoint', 'model', 'result', 'firstByte', 'duration', 'tokens', 'cost'] as const

function Head({ top }: { top: number }) {
  const { t } = useTranslation('proxy')
  return (
    // biome-ignore lint/a11y: the grid has the focus, and a virtualized table cannot be a <table>
    <div
      role="row"
      aria-rowindex={1}
      className={cx('sticky z-10 rounded-t-l border-line border-b bg-raise font-[520] text-s text-soft', columns)}
      style={{ height: headHeight, top }}
    >
      {heads.map((name) => (
        // biome-ignore lint/a11y: see the row
        <div
          key={name}
          role="columnheader"
          className={cx(
            'truncate',
            name === 'endpoint' && notNarrowest,
            (name === 'model' || name === 'duration' || name === 'tokens') && wideOnly,
            name === 'firstByte' && widestOnly,
            (name === 'firstByte' || name === 'duration' || name === 'tokens' || name === 'cost') && 'text-end',
          )}
        >
          <WithSc text={t(`log.columns.${name}`)} />
        </div>
      ))}
    </div>
  )
}

/** Start of the local day, Unix ms. Changes once per day, so that rows do not render with each tick of the clock. */
function useToday(): number {
  const now = new Date(useNow(30_000))
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
}

/** Measures when an element above the rows changes its size. Never measures while scrolling, because each measurement forces a layout. */
function useMeasures(
  box: GridProps['box'],
  grid: RefObject<HTMLDivElement | null>,
  bar: GridProps['bar'],
  measures: GridProps['measures'],
): Measures {
  const [now, setNow] = useState(measures.current)
  useLayoutEffect(() => {
    const stage = box.current
    const content = stage?.firstElementChild
    const top = bar.current
    if (!stage || !content || !top) return
    const measure = () => {
      const element = grid.current
      if (!element) return
      const from = element.getBoundingClientRect().top - stage.getBoundingClientRect().top + stage.scrollTop
      const next = { margin: Math.round(from) + headHeight, bar: top.offsetHeight, height: stage.clientHeight }
      const { margin, bar: covered, height } = measures.current
      if (next.margin === margin && next.bar === covered && next.height === height) return
      measures.current = next
      setNow(next)
    }
    const sizes = new ResizeObserver(measure)
    const observe = () => {
      sizes.disconnect()
      for (const child of content.children) if (!child.contains(grid.current)) sizes.observe(child)
      sizes.observe(top)
      sizes.observe(stage)
      measure()
    }
    observe()
    // Notices above the log appear and disappear.
    const changes = new MutationObserver(observe)
    changes.observe(content, { childList: true })
    return () => {
      sizes.disconnect()
      changes.disconnect()
    }
  }, [box, grid, bar, measures])
  return now
}

/** Loads the rows that scroll into view. Stops following the newest rows when the reader scrolls away, and follows again when the reader returns. */
function useVisibleRows(box: GridProps['box'], measures: GridProps['measures']) {
  const view = useRef({ top: 0, height: 0 })
  // A person may stop following at the top. Only a return from further down starts following again.
  const wentAway = useRef(false)
  /** Height of the rows above the view, px. */
  const hidden = useCallback(() => {
    const { margin, bar } = measures.current
    return view.current.top + bar + headHeight - margin
  }, [measures])
  const loadShown = useCallback(() => {
    const first = Math.max(0, Math.floor(hidden() / rowHeight))
    const last = first + Math.ceil(view.current.height / rowHeight)
    loadVisible(Math.max(0, first - ahead), last + ahead)
  }, [hidden])
  const read = useCallback(() => {
    const stage = box.current
    if (stage) view.current = { top: stage.scrollTop, height: stage.clientHeight }
  }, [box])
  const onScroll = useCallback(() => {
    read()
    if (hidden() > rowHeight) {
      wentAway.current = true
      leaveNewest()
    } else if (hidden() <= 0 && wentAway.current) {
      wentAway.current = false
      followNewest()
    }
    loadShown()
  }, [read, hidden, loadShown])
  useLayoutEffect(read, [read])
  return { loadShown, onScroll }
}

/** Arrow keys, Page, Home and End move the cursor, Enter opens, Space selects for a replay, Escape closes. The grid keeps the focus. */
function useCursor(box: GridProps['box'], measures: GridProps['measures'], selected: number | null) {
  const [current, setCurrent] = useState<number | null>(null)
  const goTo = (index: number): void => {
    const row = rowAt(requestsStore.getState().held, index)
    const stage = box.current
    if (!row || !stage) return
    setCurrent(row.id)
    const { margin, bar } = measures.current
    const above = margin + index * rowHeight - stage.scrollTop - bar - headHeight
    const below = margin + (index + 1) * rowHeight - stage.scrollTop - stage.clientHeight
    if (above < 0) stage.scrollTop += above
    else if (below > 0) stage.scrollTop += below
    if (selected !== null) void inspect(row.id)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const { held } = requestsStore.getState()
    const at = current === null ? -1 : indexOf(held, current)
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / rowHeight) - 6)
    const last = Math.max(0, held.count - 1)
    const targets: Record<string, number> = {
      ArrowDown: Math.min(at + 1, last),
      ArrowUp: Math.max(at - 1, 0),
      PageDown: Math.min(Math.max(at, 0) + page, last),
      PageUp: Math.max(at - page, 0),
      Home: 0,
      End: last,
    }
    const target = targets[event.key]
    const row = rowAt(held, at)
    if (target !== undefined) goTo(target)
    else if (event.key === 'Enter' && row) inspectRow(row.id)
    else if (event.key === ' ' && row) toggleMark(row.id)
    else if (event.key === 'Escape' && selected !== null) closeDetail()
    else return
    event.preventDefault()
  }
  const openRow = useCallback((row: RequestRow, marks: boolean) => {
    setCurrent(row.id)
    if (marks) toggleMark(row.id)
    else inspectRow(row.id)
  }, [])
  // The row at the cursor shows the focus.
  const onFocus = () => {
    const first = rowAt(requestsStore.getState().held, 0)
    if (current === null && first) setCurrent(first.id)
  }
  return { current, onKeyDown, openRow, onFocus }
}
