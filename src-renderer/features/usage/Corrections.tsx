import { History } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type * as z from 'zod'
import { exact } from '../../../src-preload/contract/amountText.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { correction, Figures } from '../../../src-preload/contract/usage.ts'
import { problemOf } from '../../api/problem.ts'
import { showCalendarLong, showSc } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { lessSc } from '../../shared/money/sc.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'
import { FiguresTable } from '../../shared/ui/FiguresTable.tsx'
import { daysOf, selectedAccount, useUsage } from '../../stores/usage.ts'
import { openRequests } from './actions.ts'
import { RangeField } from './Controls.tsx'
import { ReportedFigures } from './ReportedFigures.tsx'
import { Undated } from './Undated.tsx'
import { UsageNotices } from './UsageNotices.tsx'

type Correction = z.infer<typeof correction>

/** Later corrections by the service for past days. */
export function Corrections() {
  const { t } = useTranslation('usage')
  const studio = useStudio()
  const account = useUsage(selectedAccount)
  const choice = useUsage((store) => store.choice)
  const { from, to } = daysOf(choice, account, Date.now())
  const [found, setFound] = useState<readonly Correction[] | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const accountId = account?.id
  const asOf = account?.asOf
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer fetch may contain other corrections
  useEffect(() => {
    if (!accountId) return
    const ended = new AbortController()
    setProblem(null)
    studio.usage.corrections({ accountId, from, to }, { signal: ended.signal }).then(setFound, (thrown: unknown) => {
      if (!ended.signal.aborted) setProblem(problemOf(thrown))
    })
    return () => ended.abort()
  }, [studio, accountId, from, to, asOf])
  return (
    <div className="stage-column usage-body">
      <UsageNotices />
      <div className="flex flex-wrap items-start gap-x-6 gap-y-2">
        <p className="min-w-[min(240px,100%)] max-w-[680px] flex-1 text-soft">{t('corrections.about')}</p>
        <span className="ms-auto">
          <RangeField />
        </span>
      </div>
      {problem && <ProblemNotice problem={problem} noAction />}
      {found === null ? (
        !problem && (
          <p role="status" className="text-faint">
            {t('corrections.loading')}
          </p>
        )
      ) : found.length === 0 ? (
        <EmptyState icon={History} title={t('corrections.none')} />
      ) : (
        <Table found={found} />
      )}
      {account && <Undated account={account} />}
    </div>
  )
}

function Table({ found }: { found: readonly Correction[] }) {
  const { t } = useTranslation('usage')
  return (
    <div className="figures-box">
      <FiguresTable
        label={t('sections.corrections')}
        columns={[
          ...(['day', 'modelOrKey'] as const).map((id) => ({ id, title: t(`corrections.${id}`) })),
          ...(['before', 'after', 'difference'] as const).map((id) => ({
            id,
            title: t(`corrections.${id}`),
            num: true,
          })),
        ]}
      >
        {found.map((one) => {
          const { day, model, keyId, before, beforeAsOf, after, afterAsOf } = one
          return (
            <tr key={`${day} ${model} ${keyId} ${afterAsOf}`}>
              <th scope="row">
                <button
                  type="button"
                  className="figures-open"
                  aria-label={t('table.openDay', { day: showCalendarLong(day) })}
                  onClick={() => openRequests(day, day, 'model', keyId === null ? model : null)}
                >
                  {showCalendarLong(day)}
                </button>
              </th>
              <td>
                <span dir="auto">{model === '' && keyId ? t('corrections.key', { id: keyId }) : model}</span>
              </td>
              <td className="num">
                <ReportedFigures figures={before} at={beforeAsOf} />
              </td>
              <td className="num">
                <ReportedFigures figures={after} at={afterAsOf} />
              </td>
              <td className="num">{difference(before, after)}</td>
            </tr>
          )
        })}
      </FiguresTable>
    </div>
  )
}

function difference(before: Figures, after: Figures): string {
  if (before.cost === null || after.cost === null) return '–'
  const less = lessSc(after.cost, before.cost)
  return `${exact(less) > 0n ? '+' : ''}${showSc(less)}`
}
