import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showCalendarDate } from '../../i18n/format.ts'
import { isComposing } from '../../shared/isComposing.ts'
import { cx } from '../../shared/ui/cx.ts'
import { Named } from '../../shared/ui/Named.tsx'
import { raisedSearch, SearchField } from '../../shared/ui/SearchField.tsx'
import { Segmented } from '../../shared/ui/Segmented.tsx'
import { Select } from '../../shared/ui/Select.tsx'
import {
  daysOf,
  fitChoice,
  isUsageDay,
  ranges,
  selectedAccount,
  sourcesOf,
  stacksOf,
  usageDays,
  usageStore,
  useUsage,
} from '../../stores/usage.ts'
import { choose } from './subscriptions.ts'

/** Range, interval, grouping, source and search, in one row that wraps. */
export function Controls() {
  const { t } = useTranslation('usage')
  const account = useUsage(selectedAccount)
  const chosen = useUsage((store) => store.choice)
  const choice = fitChoice(chosen, account)
  const sources = sourcesOf(choice.by, account)
  return (
    <div role="toolbar" aria-label={t('controls.label')} className="usage-controls">
      <RangeField />
      <Named name={t('controls.by')}>
        <Segmented
          label={t('controls.by')}
          value={choice.by}
          segments={stacksOf(account).map((value) => ({ value, label: t(`controls.stacks.${value}`) }))}
          onChange={(by) => choose({ by })}
        />
      </Named>
      <Named name={t('controls.source')}>
        <Segmented
          label={t('controls.source')}
          value={choice.source}
          segments={(['service', 'here'] as const).map((value) => ({
            value,
            label: t(`controls.sources.${value}`),
            disabled: !sources.includes(value),
          }))}
          onChange={(source) => choose({ source })}
        />
      </Named>
      <SeriesSearch by={choice.by} />
    </div>
  )
}

/** Only the range, for sections without other choices. */
export function RangeField() {
  const { t } = useTranslation('usage')
  const account = useUsage(selectedAccount)
  const choice = useUsage((store) => store.choice)
  const { from, to } = daysOf(choice, account, Date.now())
  return (
    <span className="flex flex-wrap items-start gap-2">
      <Select
        label={t('controls.range')}
        value={choice.range}
        choices={ranges.map((value) => ({ value, label: t(`controls.ranges.${value}`) }))}
        // A custom range starts with the days of the previously selected range.
        onPick={(range) => choose(range === 'own' ? { range, from, to } : { range })}
      />
      {choice.range === 'own' && (
        <>
          <DayField label={t('controls.from')} day={from} onPick={(day) => choose({ from: day })} />
          <DayField label={t('controls.to')} day={to} onPick={(day) => choose({ to: day })} />
        </>
      )}
    </span>
  )
}

/**
 * Keeps what is being typed, such as the year 0020 on the way to 2026, and applies a day as soon as it is one of a service. Leaving the
 * field with anything else restores the applied day and says so.
 */
function DayField({ label, day, onPick }: { label: string; day: string; onPick: (day: string) => void }) {
  const { t } = useTranslation('usage')
  const [draft, setDraft] = useState<string | null>(null)
  const [isRestored, setRestored] = useState(false)
  const note = useId()
  return (
    <span className="relative flex flex-col gap-0.5">
      <label className="flex min-h-8 items-center gap-1.5 text-s text-soft">
        {label}
        <input
          type="date"
          min={usageDays.first}
          max={usageDays.last}
          value={draft ?? day}
          aria-describedby={isRestored ? note : undefined}
          onChange={({ target }) => {
            setDraft(target.value)
            setRestored(false)
            if (isUsageDay(target.value)) onPick(target.value)
          }}
          onBlur={() => {
            setRestored(isRestored || (draft !== null && !isUsageDay(draft)))
            setDraft(null)
          }}
          className="num h-7 rounded-m bg-raise px-2 text-ink text-s shadow-[inset_0_0_0_1px_var(--line-strong)]"
        />
      </label>
      {isRestored && (
        <span id={note} role="status" className="text-bad text-s">
          {t('controls.dayRestored', {
            first: usageDays.first.slice(0, 4),
            last: usageDays.last.slice(0, 4),
            day: showCalendarDate(day),
          })}
        </span>
      )}
    </span>
  )
}

function SeriesSearch({ by }: { by: 'model' | 'app' | 'feature' | 'key' }) {
  const { t } = useTranslation('usage')
  const search = useUsage((store) => store.search)
  const setSearch = (text: string) => usageStore.setState({ search: text })
  return (
    <SearchField
      className={cx('usage-search', raisedSearch)}
      iconSize={14}
      label={t(`controls.search.${by}`)}
      clearLabel={t('controls.clearSearch')}
      maxLength={200}
      value={search}
      onValue={setSearch}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || search === '' || isComposing(event)) return
        setSearch('')
        event.preventDefault()
      }}
    />
  )
}
