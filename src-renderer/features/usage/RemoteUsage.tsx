import { ChartNoAxesColumn, ChevronDown, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { exact } from '../../../src-preload/contract/amountText.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Comparison, Drift } from '../../../src-preload/contract/usage.ts'
import { problemOf } from '../../api/problem.ts'
import { showCalendarLong, showCount, showSc } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'
import { Facts } from '../../shared/ui/Facts.tsx'
import { FiguresTable } from '../../shared/ui/FiguresTable.tsx'
import { Pill, type PillTone } from '../../shared/ui/Pill.tsx'
import { Sc } from '../../shared/ui/WithSc.tsx'
import { selectedAccount, useUsage } from '../../stores/usage.ts'
import { openRequests } from './actions.ts'
import { RangeField } from './Controls.tsx'
import { sidesOf } from './figures.ts'
import { Sum, TableAmount } from './ReportedFigures.tsx'
import { UsageNotices } from './UsageNotices.tsx'

const tones: Record<Drift, PillTone> = {
  same: 'good',
  elsewhere: 'muted',
  not_yet: 'muted',
  here_more: 'warn',
  unpriced: 'warn',
  gap: 'warn',
  incomplete: 'warn',
}

/** Both sources per model, with the reason for a difference. */
export function RemoteUsage() {
  const { t } = useTranslation('usage')
  const answer = useUsage((store) => store.answer)
  const account = useUsage(selectedAccount)
  const noService = account?.offers === 'no'
  const comparisons = answer?.comparisons ?? []
  return (
    <div className="stage-column usage-body">
      <UsageNotices />
      <div className="flex flex-wrap items-start gap-x-6 gap-y-2">
        <p className="min-w-[min(240px,100%)] max-w-[680px] flex-1 text-soft">
          {t(noService ? 'elsewhere.noService' : 'elsewhere.about')}
        </p>
        <span className="ms-auto">
          <RangeField />
        </span>
      </div>
      {answer && <Sums comparisons={comparisons} />}
      {answer && comparisons.length === 0 && <EmptyState icon={ChartNoAxesColumn} title={t('elsewhere.none')} />}
      {comparisons.length > 0 && (
        <div className="figures-box usage-remote">
          <FiguresTable
            label={t('sections.elsewhere')}
            columns={[
              { id: 'model', title: t('table.names.model') },
              ...(['service', 'here', 'difference'] as const).map((id) => ({ id, title: t(`table.${id}`), num: true })),
              { id: 'why', title: t('elsewhere.why') },
            ]}
          >
            {comparisons.map((one) => (
              <Model key={one.model} one={one} />
            ))}
          </FiguresTable>
        </div>
      )}
      {comparisons.length > 0 && <Reasons comparisons={comparisons} />}
    </div>
  )
}

/** What each reason of the table means, once. */
function Reasons({ comparisons }: { comparisons: readonly Comparison[] }) {
  const { t } = useTranslation('usage')
  return (
    <dl className="flex flex-col gap-2 text-s text-soft">
      {[...new Set(comparisons.map(({ drift }) => drift))].map((drift) => (
        <div key={drift} className="flex flex-wrap items-baseline gap-x-2">
          <dt>
            <Pill tone={tones[drift]}>{t(`elsewhere.driftShort.${drift}`)}</Pill>
          </dt>
          <dd className="min-w-[min(200px,100%)] flex-1">{t(`elsewhere.drift.${drift}`)}</dd>
        </div>
      ))}
    </dl>
  )
}

function Sums({ comparisons }: { comparisons: readonly Comparison[] }) {
  const { t } = useTranslation('usage')
  const sides = sidesOf(comparisons)
  const sums = [
    ['service', sides.service],
    ['here', sides.here],
    ['elsewhere', sides.service === null ? null : sides.elsewhere],
    ...(exact(sides.notYet) > 0n ? [['notYet', sides.notYet] as const] : []),
  ] as const
  return (
    <dl className="usage-cards">
      {sums.map(([name, amount], at) => (
        <div key={name} className="min-w-0">
          <dt className="font-[540] text-s text-soft">{t(`elsewhere.sum.${name}`)}</dt>
          <dd className="usage-figure num">
            {amount === null ? (
              <span className="text-faint">{t('cards.unknown')}</span>
            ) : (
              <>
                <Sum figure={showSc(amount)} isPart={sides.parts.has(name)} /> <small>{at === 0 ? <Sc /> : 'SC'}</small>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function amounts(one: Comparison) {
  const side = (figures: Comparison['here']): ReactNode =>
    figures === null ? (
      '–'
    ) : figures.cost === null ? (
      '?'
    ) : (
      <TableAmount amount={figures.cost} isEstimated={figures.estimated > 0} isPart={figures.missing.cost > 0} />
    )
  return {
    service: side(one.service),
    here: side(one.here),
    difference: one.elsewhere === null || one.drift === 'same' ? '–' : showSc(one.elsewhere),
  }
}

function AmountCells({ one }: { one: Comparison }) {
  const { service, here, difference } = amounts(one)
  return (
    <>
      <td className="num">{service}</td>
      <td className="num">{here}</td>
      <td className="num">{difference}</td>
    </>
  )
}

function Model({ one }: { one: Comparison }) {
  const { t } = useTranslation('usage')
  // The model is empty for requests that name no model, such as speech with the service's default.
  const name = one.model || t('table.noModel')
  const [open, setOpen] = useState(false)
  const Icon = open ? ChevronDown : ChevronRight
  return (
    <>
      <tr>
        <th scope="row">
          <button
            type="button"
            className="figures-open"
            aria-expanded={open}
            aria-label={t(open ? 'elsewhere.dailyHide' : 'elsewhere.daily', { model: name })}
            onClick={() => setOpen(!open)}
          >
            <span className="figures-name">
              <Icon aria-hidden size={14} className="shrink-0 text-faint rtl:-scale-x-100" />
              <span dir="auto">{name}</span>
            </span>
          </button>
        </th>
        <AmountCells one={one} />
        <td className="figures-words">
          <Pill tone={tones[one.drift]}>{t(`elsewhere.driftShort.${one.drift}`)}</Pill>
        </td>
      </tr>
      {open && <Days model={one.model} />}
    </>
  )
}

/** The days on which both sources differ, and the number of other days. */
function Days({ model }: { model: string }) {
  const { t } = useTranslation('usage')
  const studio = useStudio()
  const query = useUsage((store) => store.answer?.view.query ?? null)
  const [days, setDays] = useState<readonly Comparison[] | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const { accountId, from, to } = query ?? {}
  useEffect(() => {
    if (!accountId || !from || !to) return
    const ended = new AbortController()
    studio.usage.compare({ accountId, from, to, daily: true }, { signal: ended.signal }).then(
      (all) => setDays(all.filter((one) => one.model === model)),
      (thrown: unknown) => ended.signal.aborted || setProblem(problemOf(thrown)),
    )
    return () => ended.abort()
  }, [studio, accountId, from, to, model])
  const differ = days?.filter(({ drift }) => drift !== 'same') ?? []
  const same = (days?.length ?? 0) - differ.length
  return (
    <>
      {differ.map((one) => {
        const day = one.day ?? ''
        return (
          <tr key={day} className="figures-inner">
            <th scope="row">
              <button
                type="button"
                className="figures-open"
                aria-label={t('table.openDay', { day: showCalendarLong(day) })}
                onClick={() => openRequests(day, day, 'model', model)}
              >
                {showCalendarLong(day)}
              </button>
            </th>
            <AmountCells one={one} />
            <td className="figures-words">
              <Facts>
                {t(`elsewhere.driftShort.${one.drift}`)}
                <small>
                  {t('elsewhere.counts', {
                    service: one.service?.requests == null ? '–' : showCount(one.service.requests),
                    here: one.here?.requests == null ? '–' : showCount(one.here.requests),
                  })}
                </small>
              </Facts>
            </td>
          </tr>
        )
      })}
      <tr className="figures-inner">
        <td colSpan={5} className="text-faint">
          {problem ? (
            <ProblemNotice problem={problem} noAction />
          ) : days === null ? (
            <span role="status">{t('loading')}</span>
          ) : differ.length === 0 ? (
            t('elsewhere.dailySame')
          ) : same > 0 ? (
            t('elsewhere.dailyRest', { count: same })
          ) : null}
          {from && to && (
            <Button
              size="small"
              variant="plain"
              className="ms-2"
              onClick={() => openRequests(from, to, 'model', model)}
            >
              {t('table.open', { name: model || t('table.noModel') })}
            </Button>
          )}
        </td>
      </tr>
    </>
  )
}
