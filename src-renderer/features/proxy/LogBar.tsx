import { CircleDot, CirclePlay, Download, FileJson, History, ListX, X } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type RequestFilter, studioFeature } from '../../../src-preload/contract/requests.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { Facts } from '../../shared/ui/Facts.tsx'
import { Checkbox } from '../../shared/ui/Field.tsx'
import { SearchField } from '../../shared/ui/SearchField.tsx'
import { Select } from '../../shared/ui/Select.tsx'
import { useApps } from '../../stores/apps.ts'
import { useChat } from '../../stores/chat.ts'
import { defaultFilter, isFiltered, modelsSeen, requestsStore, useRequests } from '../../stores/requests.ts'
import { clearMarks, filterBy, saveFixture, saveLog, selectionOf, showDialog } from './actions.ts'
import { count } from './figures.ts'
import { instantOf, localText } from './form.ts'

/** ms after the last key press before the search starts. */
const typingPause = 200

const without = (filter: RequestFilter, ...names: (keyof RequestFilter)[]): RequestFilter =>
  Object.fromEntries(Object.entries(filter).filter(([name]) => !names.some((one) => one === name)))

/** Filters of the log, the button to its newest rows, and the number of all rows. */
export function LogBar({ onFollow }: { onFollow: () => void }) {
  const { t } = useTranslation('proxy')
  const filter = useRequests((store) => store.filter)
  const filtered = isFiltered(filter)
  return (
    <div className="flex flex-wrap items-center gap-2 pb-3">
      <TextFilter text={filter.text ?? ''} />
      <WhoFilter filter={filter} />
      <ModelFilter filter={filter} />
      <OutcomeFilter filter={filter} />
      <PeriodFilter filter={filter} />
      <PollingFilter filter={filter} />
      {filtered && (
        <Button variant="plain" icon={ListX} onClick={() => filterBy(defaultFilter)}>
          {t('log.clear')}
        </Button>
      )}
      <span className="flex grow basis-full flex-wrap items-center gap-x-3 gap-y-2 @min-[1400px]:basis-0">
        <FollowButton onFollow={onFollow} />
        <Kept />
        <Fixture />
        <Button icon={Download} onClick={() => void saveLog()}>
          {t('log.exportCsv')}
        </Button>
      </span>
    </div>
  )
}

/** Saves or replays the selected requests, or else those of the filter. */
function Fixture() {
  const { t } = useTranslation('proxy')
  const marked = useRequests((store) => store.marked)
  return (
    <span className="ms-auto flex flex-wrap items-center gap-2">
      {marked.size > 0 && (
        <Button variant="plain" icon={X} onClick={clearMarks}>
          {t('again.fixture.clear')}
        </Button>
      )}
      <Button
        icon={History}
        onClick={() => showDialog({ kind: 'replay', selection: selectionOf(requestsStore.getState()) })}
      >
        {t('again.fixture.replay')}
      </Button>
      <Button icon={FileJson} onClick={() => void saveFixture()}>
        {marked.size > 0 ? t('again.fixture.saveMarked', { figure: count(marked.size) }) : t('again.fixture.save')}
      </Button>
    </span>
  )
}

function TextFilter({ text }: { text: string }) {
  const { t } = useTranslation('proxy')
  const [typed, setTyped] = useState(text)
  const [asked, setAsked] = useState(text)
  // The filter was changed outside of this field, for example cleared, so the field takes its text.
  if (text !== asked) {
    setAsked(text)
    setTyped(text)
  }
  useEffect(() => {
    if (typed.trim() === asked) return
    const timer = setTimeout(() => {
      const { filter } = requestsStore.getState()
      setAsked(typed.trim())
      filterBy(typed.trim() === '' ? without(filter, 'text') : { ...filter, text: typed.trim() })
    }, typingPause)
    return () => clearTimeout(timer)
  }, [typed, asked])
  return (
    <SearchField
      className="h-7 min-w-[180px] max-w-[340px] flex-1 basis-52 rounded-m bg-raise px-2.5 shadow-[inset_0_0_0_1px_var(--line-strong)] focus-within:shadow-[inset_0_0_0_2px_var(--accent)]"
      inputClassName="truncate text-s"
      iconSize={15}
      iconStroke={1.75}
      label={t('log.text')}
      maxLength={300}
      value={typed}
      onValue={setTyped}
    />
  )
}

const all = ''

function WhoFilter({ filter }: { filter: RequestFilter }) {
  const { t } = useTranslation('proxy')
  const apps = useApps() ?? []
  const { who = all } = filter
  // The filter names a deleted app: links from Usage may still refer to its requests.
  const isGone = who !== all && who !== 'strangers' && !who.startsWith('studio') && apps.every(({ id }) => id !== who)
  return (
    <Select
      label={t('log.app')}
      value={who}
      onPick={(picked) => {
        if (picked === all) filterBy(without(filter, 'who'))
        // Selecting the account requests also removes the filter that hides them.
        else filterBy({ ...(picked === 'studio:account' ? without(filter, 'polling') : filter), who: picked })
      }}
      className="max-w-40 max-[480px]:max-w-[154px]"
      choices={[
        { value: all, label: t('log.allApps') },
        { value: 'studio', label: t('log.studio') },
        ...studioFeature.options.map((feature) => ({
          value: `studio:${feature}`,
          label: t('log.studioFeature', { feature: t(`log.features.${feature}`) }),
        })),
        { value: 'strangers', label: t('log.unknownCallers') },
        ...apps.map(({ id, name }) => ({ value: id, label: name })),
        ...(isGone ? [{ value: who, label: who }] : []),
      ]}
    />
  )
}

function ModelFilter({ filter }: { filter: RequestFilter }) {
  const { t } = useTranslation('proxy')
  const listed = useChat((chat) => chat.models.models)
  const [seen, setSeen] = useState<readonly string[]>([])
  const models = [...new Set([...(filter.model ? [filter.model] : []), ...seen, ...listed.map(({ id }) => id)])].sort()
  return (
    <Select
      label={t('log.model')}
      value={filter.model ?? all}
      onFocus={() => setSeen(modelsSeen(requestsStore.getState()))}
      onPick={(model) => filterBy(model === all ? without(filter, 'model') : { ...filter, model })}
      className="max-w-40 max-[480px]:max-w-[154px]"
      choices={[{ value: all, label: t('log.anyModel') }, ...models.map((id) => ({ value: id, label: id }))]}
    />
  )
}

const outcomes = ['open', 'ok', 'failed', 'refused', 'cancelled'] as const

function OutcomeFilter({ filter }: { filter: RequestFilter }) {
  const { t } = useTranslation('proxy')
  return (
    <Select<(typeof outcomes)[number] | ''>
      label={t('log.outcome')}
      value={filter.outcome ?? all}
      onPick={(outcome) => filterBy(outcome === all ? without(filter, 'outcome') : { ...filter, outcome })}
      choices={[
        { value: all, label: t('log.anyOutcome') },
        ...outcomes.map((value) => ({ value, label: t(`log.outcomes.${value}`) })),
      ]}
    />
  )
}

const periods = ['any', 'hour', 'today', 'week', 'between'] as const
type Period = (typeof periods)[number]

function sinceOf(period: Period): string | null {
  const now = new Date()
  if (period === 'hour') return new Date(now.getTime() - 3_600_000).toISOString()
  if (period === 'week') return new Date(now.getTime() - 7 * 86_400_000).toISOString()
  if (period === 'today') return midnightUtc()
  return null
}

function periodOf({ since, until }: RequestFilter): Period {
  if (since === midnightUtc() && !until) return 'today'
  return since || until ? 'between' : 'any'
}

function PeriodFilter({ filter }: { filter: RequestFilter }) {
  const { t } = useTranslation('proxy')
  const [period, setPeriod] = useState<Period>(() => periodOf(filter))
  const [ownSince, setOwnSince] = useState(filter.since)
  // The time was changed outside of this field: by a link, or by clearing the filters.
  if (filter.since !== ownSince) {
    setOwnSince(filter.since)
    setPeriod(periodOf(filter))
  }
  const pick = (next: Period) => {
    setPeriod(next)
    if (next === 'between') return
    const others = without(filter, 'since', 'until')
    const from = sinceOf(next)
    setOwnSince(from ?? undefined)
    filterBy(from === null ? others : { ...others, since: from })
  }
  const between = (end: 'since' | 'until', text: string) => {
    const at = instantOf(text)
    const others = without(filter, end)
    if (end === 'since') setOwnSince(at ?? undefined)
    filterBy(at === null ? others : { ...others, [end]: at })
  }
  return (
    <>
      <Select
        label={t('log.period')}
        value={period}
        onPick={pick}
        choices={periods.map((value) => ({ value, label: t(`log.periods.${value}`) }))}
      />
      {period === 'between' && (
        <span className="flex flex-wrap items-center gap-1.5 text-s text-soft">
          <InstantField label={t('log.since')} at={filter.since} onChange={(text) => between('since', text)} />
          <InstantField label={t('log.until')} at={filter.until} onChange={(text) => between('until', text)} />
        </span>
      )}
    </>
  )
}

/** An instant that is typed as local time. `onChange` receives the text of the field. */
function InstantField(props: { label: string; at: string | undefined; onChange: (text: string) => void }) {
  const id = useId()
  return (
    <>
      <label htmlFor={id}>{props.label}</label>
      <input
        id={id}
        type="datetime-local"
        className="num h-7 rounded-m bg-raise px-2 text-ink text-s shadow-[inset_0_0_0_1px_var(--line-strong)]"
        defaultValue={props.at ? localText(props.at) : ''}
        onChange={(event) => props.onChange(event.target.value)}
      />
    </>
  )
}

function PollingFilter({ filter }: { filter: RequestFilter }) {
  const { t } = useTranslation('proxy')
  return (
    <Checkbox
      label={t('log.polling')}
      checked={filter.polling !== false}
      onChange={({ target }) => filterBy(target.checked ? without(filter, 'polling') : { ...filter, polling: false })}
    />
  )
}

function FollowButton({ onFollow }: { onFollow: () => void }) {
  const { t } = useTranslation('proxy')
  const following = useRequests((store) => store.following)
  const Icon = following ? CircleDot : CirclePlay
  return (
    <button
      type="button"
      aria-pressed={following}
      onClick={onFollow}
      className={cx(
        'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-m px-2.5 font-[540] text-s transition-colors duration-100',
        following
          ? 'bg-pick text-accent'
          : 'bg-raise text-ink shadow-[inset_0_0_0_1px_var(--line-strong)] hover:bg-hover',
      )}
    >
      <Icon aria-hidden size={15} strokeWidth={1.75} />
      {t(following ? 'log.following' : 'log.follow')}
    </button>
  )
}

/** Start of the UTC day, where today's budgets and counts start. */
function midnightUtc(): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())).toISOString()
}

function Kept() {
  const { t } = useTranslation('proxy')
  const counts = useRequests((store) => store.counts)
  return (
    <span className="num whitespace-nowrap text-s text-soft">
      {counts && (
        <Facts>
          {/* A request that waits has no row yet: "0 entries" would deny it. */}
          {counts.stored > 0 && t('log.entries', { count: counts.stored, figure: count(counts.stored) })}
          <button
            type="button"
            disabled={counts.refusedToday === 0}
            onClick={() => filterBy({ outcome: 'refused', since: midnightUtc() })}
            className="rounded-s underline decoration-line-strong underline-offset-2 hover:text-ink disabled:no-underline"
          >
            {t('log.refusedToday', { count: counts.refusedToday, figure: count(counts.refusedToday) })}
          </button>
        </Facts>
      )}
    </span>
  )
}
