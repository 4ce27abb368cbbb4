import { ChartNoAxesColumn, SearchX } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Chart } from '../../shared/chart/Chart.tsx'
import { Legend } from '../../shared/chart/Legend.tsx'
import { ConnectButton } from '../../shared/connect/ConnectButton.tsx'
import { navigate } from '../../shared/navigation.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'
import { Checkbox } from '../../shared/ui/Field.tsx'
import { Named } from '../../shared/ui/Named.tsx'
import { Select } from '../../shared/ui/Select.tsx'
import { Skeleton } from '../../shared/ui/Skeleton.tsx'
import { StatusText } from '../../shared/ui/StatusText.tsx'
import { fitChoice, grains, measures, selectedAccount, useUsage } from '../../stores/usage.ts'
import { openRequests, setShown } from './actions.ts'
import { Cards } from './Cards.tsx'
import { Controls } from './Controls.tsx'
import { Budgets, TopConversations } from './Extras.tsx'
import { chartOf } from './figures.ts'
import { useSeriesName } from './seriesNames.ts'
import { choose } from './subscriptions.ts'
import { BucketTable, SeriesTable } from './Tables.tsx'
import { UndatedNote } from './Undated.tsx'
import { UsageNotices } from './UsageNotices.tsx'

export function Overview() {
  const { t } = useTranslation('usage')
  const usageProblem = useUsage((store) => store.usageProblem)
  const answer = useUsage((store) => store.answer)
  const state = useUsage((store) => store.state)
  const failed = useUsage((store) => store.problem !== null)
  return (
    <div className="stage-column usage-body">
      <UsageNotices />
      {answer ? (
        <>
          <Controls />
          <Cards />
          <ChartCard />
          <Figures />
          <UndatedNote />
          <div className="grid gap-6 min-[1000px]:grid-cols-2">
            <TopConversations />
            <Budgets />
          </div>
        </>
      ) : (
        !failed && !usageProblem && state === 'loading' && <Loading words={t('loading')} />
      )}
    </div>
  )
}

function Loading({ words }: { words: string }) {
  return (
    <div className="flex flex-col gap-6">
      <StatusText>{words}</StatusText>
      <div className="usage-cards">
        {['a', 'b', 'c', 'd'].map((name) => (
          <div key={name} className="flex min-w-0 flex-col gap-2.5">
            <Skeleton className="w-1/3" />
            <Skeleton className="h-6 w-2/3" />
            <Skeleton className="w-1/2" />
          </div>
        ))}
      </div>
      <div className="h-72">
        <Skeleton className="w-1/5" />
      </div>
    </div>
  )
}

/** Shown before the first connection: there are no figures or limits yet. */
export function NoAccount() {
  const { t } = useTranslation('usage')
  return (
    <EmptyState
      icon={ChartNoAxesColumn}
      title={t('empty.noAccountTitle')}
      action={<ConnectButton label={t('empty.connect')} />}
    >
      {t('empty.noAccount')}
    </EmptyState>
  )
}

function ChartCard() {
  const { t } = useTranslation('usage')
  const account = useUsage(selectedAccount)
  const chosen = useUsage((store) => store.choice)
  const answer = useUsage((store) => store.answer)
  const search = useUsage((store) => store.search.trim())
  const { measure, table, before, grain } = fitChoice(chosen, account)
  const by = answer?.view.query.by ?? 'model'
  const nameOf = useSeriesName(by)
  const data = useMemo(
    () => answer && chartOf(answer.view, before ? answer.before : null, measure, nameOf),
    [answer, before, measure, nameOf],
  )
  const title = answer ? t(`chart.title.${measure}.${answer.view.query.grain}`) : ''
  useEffect(() => {
    setShown(data && { data, title })
    return () => setShown(null)
  }, [data, title])
  if (!answer || !data) return null
  const { buckets, query, series } = answer.view
  const gaps = buckets.filter(({ state }) => state === 'gap').length
  const notReported = measure === 'tokensCached' && by === 'key'
  const nothing = series.length === 0 && gaps === 0
  const open = (at: number, id: string | null) => {
    const bucket = buckets[at]
    if (bucket) openRequests(bucket.from, bucket.to, query.by, id)
  }
  return (
    <div className="flex min-w-0 flex-col gap-2.5">
      <section aria-label={title} className="contents">
        <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
          <h2 className="font-semibold">{title}</h2>
          <span className="flex flex-wrap items-center gap-x-3 gap-y-2" data-noprint>
            <Checkbox
              label={t('controls.before')}
              checked={before}
              onChange={({ target }) => choose({ before: target.checked })}
            />
            <Checkbox
              label={t('controls.table')}
              checked={table}
              onChange={({ target }) => choose({ table: target.checked })}
            />
            <Named name={t('controls.grain')}>
              <Select
                label={t('controls.grain')}
                value={grain}
                choices={grains.map((value) => ({ value, label: t(`controls.grains.${value}`) }))}
                onPick={(picked) => choose({ grain: picked })}
              />
            </Named>
            <Named name={t('controls.measure')}>
              <Select
                label={t('controls.measure')}
                value={measure}
                choices={measures.map((value) => ({ value, label: t(`controls.measures.${value}`) }))}
                onPick={(picked) => choose({ measure: picked })}
              />
            </Named>
          </span>
        </header>
        {!notReported && !nothing && <Legend data={data} />}
        {notReported ? (
          <p className="py-6 text-center text-faint">{t('chart.notReported')}</p>
        ) : nothing ? (
          <Nothing search={search} />
        ) : table ? (
          <BucketTable view={answer.view} data={data} onOpen={open} />
        ) : (
          <div className="usage-chart">
            <Chart data={data} label={title} onOpen={open} />
          </div>
        )}
        {gaps > 0 && !table && <p className="text-s text-soft">{t('chart.gaps', { count: gaps })}</p>}
      </section>
    </div>
  )
}

function Nothing({ search }: { search: string }) {
  const { t } = useTranslation('usage')
  if (search !== '') {
    return <EmptyState icon={SearchX} title={t('nothingFound', { search })} />
  }
  return (
    <EmptyState
      icon={ChartNoAxesColumn}
      title={t('empty.title')}
      action={<Button onClick={() => navigate({ page: 'chat', id: null })}>{t('empty.action')}</Button>}
    >
      {t('empty.about')}
    </EmptyState>
  )
}

function Figures() {
  const answer = useUsage((store) => store.answer)
  return answer && answer.view.series.length > 0 ? <SeriesTable answer={answer} /> : null
}
