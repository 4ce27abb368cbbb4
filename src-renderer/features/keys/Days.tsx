import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountKey } from '../../../src-preload/contract/account.ts'
import { inSc, showAxis, showCalendarLong, showCount, showSc, showShort } from '../../i18n/format.ts'
import { Chart } from '../../shared/chart/Chart.tsx'
import type { ChartData } from '../../shared/chart/data.ts'
import { Legend } from '../../shared/chart/Legend.tsx'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { Checkbox } from '../../shared/ui/Field.tsx'
import { FiguresTable } from '../../shared/ui/FiguresTable.tsx'
import { Select } from '../../shared/ui/Select.tsx'
import { type KeyDay, keyRanges, keysStore, useKeys } from '../../stores/keys.ts'

const measures = ['spend', 'tokens', 'requests'] as const
type KeyMeasure = (typeof measures)[number]

function countOf({ figures }: KeyDay, measure: KeyMeasure): number | null {
  if (!figures) return null
  if (measure === 'requests') return figures.requests
  const { tokensIn, tokensOut } = figures
  return tokensIn === null && tokensOut === null ? null : (tokensIn ?? 0) + (tokensOut ?? 0)
}

function textOf(day: KeyDay | undefined, measure: KeyMeasure): string | null {
  if (!day?.figures) return null
  const count = measure === 'spend' ? null : countOf(day, measure)
  if (measure !== 'spend') return count === null ? null : showCount(count)
  return day.figures.cost === null ? null : inSc(showSc(day.figures.cost))
}

/** The days of one key as a chart with one series. */
export function chartOfKey(days: readonly KeyDay[], measure: KeyMeasure, name: string): ChartData {
  const values = days.map((day) =>
    measure === 'spend' ? (day.figures?.cost == null ? null : Number(day.figures.cost)) : countOf(day, measure),
  )
  const text = (at: number) => textOf(days[at], measure)
  return {
    grain: 'day',
    before: null,
    total: text,
    buckets: days.map(({ day, state }) => ({ from: day, to: day, state })),
    series: [{ id: 'key', name, ink: 0, values, text }],
    axis: (value) => (measure === 'spend' ? inSc(showAxis(value)) : showShort(value)),
  }
}

/** The daily spend of this key. */
export function Days({ shown }: { shown: AccountKey }) {
  const { t } = useTranslation('keys')
  const daily = useKeys((store) => store.daily)
  const problem = useKeys((store) => store.dailyProblem)
  const range = useKeys((store) => store.range)
  const chosen = useKeys((store) => store.measure)
  const measure = measures.find((one) => one === chosen) ?? 'spend'
  const [table, setTable] = useState(false)
  const days = daily?.keyId === shown.id ? daily.days : null
  const name = shown.name ?? t('unnamed')
  const data = useMemo(() => days && chartOfKey(days, measure, name), [days, measure, name])
  const used = days?.some(({ figures, state }) => figures !== null || state === 'gap') ?? false
  const title = t(`chartTitle.${measure}`)
  return (
    <div className="flex min-w-0 flex-col gap-2.5">
      <section aria-label={t('chart')} className="contents">
        <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
          <h2 className="font-semibold">{title}</h2>
          <span className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <Checkbox label={t('showTable')} checked={table} onChange={({ target }) => setTable(target.checked)} />
            <Select
              label={t('measure')}
              value={measure}
              choices={measures.map((value) => ({ value, label: t(`measures.${value}`) }))}
              onPick={(picked) => keysStore.setState({ measure: picked })}
            />
            <Select
              label={t('range')}
              value={range}
              choices={keyRanges.map((value) => ({ value, label: t(`ranges.${value}`) }))}
              onPick={(picked) => keysStore.setState({ range: picked })}
            />
          </span>
        </header>
        {data && used && <Legend data={data} />}
        {problem && <ProblemNotice problem={problem} noAction />}
        {data === null ? (
          !problem && (
            <p role="status" className="keys-chart grid place-items-center text-faint">
              {t('loadingDays')}
            </p>
          )
        ) : !used ? (
          <p className="py-10 text-center text-faint">{t('daysNone')}</p>
        ) : table && days ? (
          <Table days={days} />
        ) : (
          <div className="keys-chart">
            <Chart data={data} label={title} />
          </div>
        )}
      </section>
    </div>
  )
}

function Table({ days }: { days: readonly KeyDay[] }) {
  const { t } = useTranslation('keys')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section tabIndex={0} aria-label={t('tableLabel')} className="figures-box">
      <FiguresTable
        label={t('tableLabel')}
        columns={[
          { id: 'day', title: t('day') },
          ...(['cost', 'requests', 'tokensIn', 'tokensOut'] as const).map((id) => ({ id, title: t(id), num: true })),
        ]}
      >
        {[...days].reverse().map(({ day, state, figures }) => (
          <tr key={day} data-state={state}>
            <th scope="row">
              {showCalendarLong(day)}
              {state !== 'whole' && <small>{t(state)}</small>}
            </th>
            <td className="num">{figures?.cost == null ? '–' : showSc(figures.cost)}</td>
            {(['requests', 'tokensIn', 'tokensOut'] as const).map((name) => (
              <td key={name} className="num">
                {figures?.[name] == null ? '–' : showCount(figures[name])}
              </td>
            ))}
          </tr>
        ))}
      </FiguresTable>
    </section>
  )
}
