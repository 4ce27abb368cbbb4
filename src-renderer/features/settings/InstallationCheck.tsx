import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InstallationCheck } from '../../../src-preload/contract/app.ts'
import { sentenceOf } from '../../../src-preload/contract/note.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemOf } from '../../api/problem.ts'
import { showNote } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { navigate } from '../../shared/navigation.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { Pill, type PillTone } from '../../shared/ui/Pill.tsx'
import { useRoute } from '../../stores/route.ts'
import { Group } from './Group.tsx'
import { checkId } from './sections.ts'

const tones: Record<InstallationCheck['status'], PillTone> = { ok: 'good', failed: 'bad', skipped: 'muted' }

/** In English, because the list is sent to the developers. */
const lineOf = ({ label, status, detail, action }: InstallationCheck): string =>
  [`${label} (${status}):`, detail, action].filter((one) => one !== null).join(' ')

/** Runs the program once more, which tries out its own parts, and lists the results as they come. */
export function InstallationCheckGroup() {
  const { t } = useTranslation('settings')
  const { results, problem, isRunning, start } = useInstallationCheck()
  const failed = results.filter(({ status }) => status === 'failed').length
  const isOver = results.length > 0 && !isRunning && problem === null
  const { id } = useRoute()
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the address asks for it
  useEffect(() => {
    if (id !== checkId) return
    // A reload or the next start of the program must not check again.
    navigate({ page: 'settings', id: 'about' })
    start()
  }, [id])
  return (
    <Group title={t('about.check')} about={t('about.checkHint')}>
      <div className="flex flex-wrap items-center gap-2">
        <Button busy={isRunning} onClick={start}>
          {t(isOver ? 'about.checkAgain' : 'about.startCheck')}
        </Button>
        {isOver && (
          <CopyButton text={results.map(lineOf).join('\n')} name={t('about.copyCheck')} label={t('about.copyCheck')} />
        )}
        <span role="status" className="text-faint text-s">
          {isRunning && t('about.checking')}
          {isOver && (failed === 0 ? t('about.checkPassed') : t('about.checkFailed', { count: failed }))}
        </span>
      </div>
      {problem && <ProblemNotice problem={problem} on={{ retry: start }} />}
      {results.length > 0 && (
        <ul aria-label={t('about.checkResults')} className="flex flex-col gap-2 text-s">
          {results.map(({ name, label, status, detail, action, codes }) => (
            <li key={name} className="grid grid-cols-[64px_minmax(0,1fr)] gap-x-2">
              <span>
                <Pill tone={tones[status]}>{t(`about.checkStates.${status}`)}</Pill>
              </span>
              <span>
                <span className="font-[520]">{showNote(sentenceOf(label, codes.label))}</span>
                <span className="block text-faint" dir="auto">
                  {showNote(sentenceOf(detail, codes.detail))}
                </span>
                {action !== null && (
                  <span className="block text-soft">{showNote(sentenceOf(action, codes.action))}</span>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Group>
  )
}

function useInstallationCheck() {
  const studio = useStudio()
  const [results, setResults] = useState<InstallationCheck[]>([])
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isRunning, setRunning] = useState(false)
  const running = useRef<AbortController | null>(null)
  // Leaving the page ends the check.
  useEffect(() => () => running.current?.abort(), [])
  async function run({ signal }: AbortController): Promise<void> {
    try {
      for await (const result of await studio.app.checkInstallation(undefined, { signal }))
        setResults((before) => [...before, result])
    } catch (thrown) {
      if (!signal.aborted) setProblem(problemOf(thrown))
    } finally {
      running.current = null
      setRunning(false)
    }
  }
  return {
    ...{ results, problem, isRunning },
    start() {
      if (running.current) return
      running.current = new AbortController()
      setResults([])
      setProblem(null)
      setRunning(true)
      void run(running.current)
    },
  }
}
