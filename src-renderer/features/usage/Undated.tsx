import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type * as z from 'zod'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Account, undatedRow } from '../../../src-preload/contract/usage.ts'
import { problemOf } from '../../api/problem.ts'
import { showCount } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { FiguresTable } from '../../shared/ui/FiguresTable.tsx'
import { selectedAccount, useUsage } from '../../stores/usage.ts'
import { goToSection } from './actions.ts'
import { ReportedFigures } from './ReportedFigures.tsx'

/** A note beside the sums: some reported figures are not included in any sum. */
export function UndatedNote() {
  const { t } = useTranslation('usage')
  const rows = useUsage((store) => store.summaries[selectedAccount(store)?.id ?? '']?.undated ?? 0)
  const byService = useUsage((store) => store.answer?.view.query.source === 'service')
  if (rows === 0 || !byService) return null
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-s text-soft">
      {t('undated.note', { count: rows, figure: showCount(rows) })}
      <Button size="small" variant="plain" onClick={() => goToSection('corrections')} data-noprint>
        {t('undated.see')}
      </Button>
    </p>
  )
}

/** Reported rows without a day. Empty when there are none. */
export function Undated({ account: { id, asOf } }: { account: Account }) {
  const { t } = useTranslation('usage')
  const studio = useStudio()
  const [found, setFound] = useState<readonly z.infer<typeof undatedRow>[]>([])
  const [problem, setProblem] = useState<Problem | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer fetch may contain other rows
  useEffect(() => {
    const ended = new AbortController()
    setProblem(null)
    studio.usage.undated({ accountId: id }, { signal: ended.signal }).then(setFound, (thrown: unknown) => {
      if (!ended.signal.aborted) setProblem(problemOf(thrown))
    })
    return () => ended.abort()
  }, [studio, id, asOf])
  if (problem) return <ProblemNotice problem={problem} noAction />
  if (found.length === 0) return null
  return (
    <section aria-labelledby="usage-undated" className="flex flex-col gap-2">
      <h2 id="usage-undated" className="font-semibold">
        {t('undated.title')}
      </h2>
      <p className="max-w-[680px] text-soft">{t('undated.about')}</p>
      <div className="figures-box">
        <FiguresTable
          label={t('undated.title')}
          columns={[
            { id: 'date', title: t('undated.date') },
            { id: 'modelOrKey', title: t('corrections.modelOrKey') },
            { id: 'reported', title: t('undated.reported'), num: true },
          ]}
        >
          {found.map(({ date, why, model, keyId, figures, asOf: at }) => (
            <tr key={`${keyId} ${date} ${model}`}>
              <th scope="row" dir="auto">
                {date}
                <small>{t(`undated.why.${why}`)}</small>
              </th>
              <td dir="auto">{model === '' && keyId ? t('corrections.key', { id: keyId }) : model}</td>
              <td className="num">
                <ReportedFigures figures={figures} at={at} />
              </td>
            </tr>
          ))}
        </FiguresTable>
      </div>
    </section>
  )
}
