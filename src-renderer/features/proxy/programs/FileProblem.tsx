import { useTranslation } from 'react-i18next'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { Button } from '../../../shared/ui/Button.tsx'

/** Why a program's file was not read or changed, with the button that reads it again. */
export function FileProblem({ problem, onAgain }: { problem: Problem; onAgain: () => void }) {
  const { t } = useTranslation('programs')
  if (problem.kind !== 'bad_input') return <ProblemNotice problem={problem} on={{ retry: onAgain }} />
  return (
    <ProblemNotice problem={problem} title={t('panel.unsafe')} meaning={t('panel.unsafeAbout')} noAction>
      <Button size="small" onClick={onAgain}>
        {t('panel.readAgain')}
      </Button>
    </ProblemNotice>
  )
}
