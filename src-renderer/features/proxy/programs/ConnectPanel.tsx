import { FileText, Plug } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ConnectedProgram, Program } from '../../../../src-preload/contract/programs.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../../shared/studioContext.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Notice } from '../../../shared/ui/Notice.tsx'
import { useCall } from '../../../shared/useCall.ts'
import { usePrograms } from '../../../stores/programs.ts'
import { readPrograms } from './actions.ts'
import { FileDiff } from './FileDiff.tsx'
import { TrialDialog } from './TrialDialog.tsx'
import { usePreview } from './usePreview.ts'

interface PanelProps {
  program: Program
  app: { id: string }
  /** The app's key while it is in memory, or null. */
  secret: string | null
  model: string
  /** Title and choice of the model. */
  heading: ReactNode
  /** The lines to paste by hand. */
  lines: ReactNode
}

/** Connects one program: shows what would change in its file, and writes it. */
export function ConnectPanel({ program, app, secret, model, heading, lines }: PanelProps) {
  const { t } = useTranslation('programs')
  const studio = useStudio()
  const [areLinesShown, setLinesShown] = useState(false)
  const { busy, problem, run, clear } = useCall()
  const { connected } = usePrograms()
  const mine = connected.find((one) => one.program === program.id && one.appId === app.id)
  const isDone = mine?.state === 'connected' && mine.model === model
  const target = { program: program.id, appId: app.id, model }
  const { preview, unread, readAgain } = usePreview(
    (signal) => studio.programs.preview(target, { signal }),
    JSON.stringify([target, isDone]),
  )
  const again = () => {
    clear()
    readAgain()
  }
  const connect = () =>
    run(async () => {
      if (!preview) return
      await studio.programs.connect({ ...target, key: secret, seen: preview.seen })
      await readPrograms(studio)
    })
  const failure = problem ?? unread
  const needsKey = secret === null && !mine
  return (
    <section aria-label={program.name} className="flex min-w-0 flex-col gap-3">
      {heading}
      {isDone && mine ? (
        <Done program={program} connection={mine} />
      ) : (
        <>
          {!program.installed && <Notice kind="info">{t('panel.notFound', { name: program.name })}</Notice>}
          <p className="text-s text-soft">
            <code className="block break-all font-mono text-ink">{preview?.file ?? program.file}</code>
            {preview && t(preview.diff === '' ? 'panel.nothing' : preview.exists ? 'panel.about' : 'panel.creates')}
            {!preview && !unread && t('panel.loading')}
          </p>
          {preview && preview.diff !== '' && <FileDiff diff={preview.diff} />}
          {failure && <ProblemNotice problem={failure} on={{ retry: again, edit: again }} />}
          {needsKey && <p className="text-s text-soft">{t('panel.needsKey')}</p>}
        </>
      )}
      <div className="flex flex-wrap gap-2">
        {!isDone && (
          <Button variant="primary" icon={Plug} busy={busy} disabled={!preview || needsKey} onClick={connect}>
            {t('panel.connect')}
          </Button>
        )}
        <Button icon={FileText} aria-expanded={areLinesShown} onClick={() => setLinesShown(!areLinesShown)}>
          {t(areLinesShown ? 'panel.hideLines' : 'panel.showLines')}
        </Button>
      </div>
      {areLinesShown && lines}
    </section>
  )
}

/** What holds after the connection: when it takes effect, where the key is, and what has precedence over the file. */
function Done({ program, connection }: { program: Program; connection: ConnectedProgram }) {
  const { t } = useTranslation(['programs', 'appSetups'])
  const [isTrialOpen, setTrialOpen] = useState(false)
  return (
    <>
      <Notice
        kind="good"
        role="status"
        title={t('panel.done', { name: program.name })}
        buttons={
          program.canTry && (
            <Button size="small" onClick={() => setTrialOpen(true)}>
              {t('testRun')}
            </Button>
          )
        }
      >
        {t(`appSetups:takesEffect.${program.takesEffect}`, { name: program.name })}
        {program.keyPlace !== 'file' && <> {t(`appSetups:keyPlaces.${program.keyPlace}`)}</>}
      </Notice>
      <Overrides program={program} />
      <TrialDialog program={program} connection={isTrialOpen ? connection : null} onClose={() => setTrialOpen(false)} />
    </>
  )
}

function Overrides({ program }: { program: Program }) {
  const { t } = useTranslation('programs')
  if (program.overrides.length === 0) return null
  return (
    <div className="text-s text-soft">
      {t('panel.overridden')}{' '}
      {program.overrides.map(({ name, isSet }, at) => (
        <span key={name}>
          {at > 0 && ', '}
          <code className="break-all font-mono text-ink">{isSet ? t('panel.set', { name }) : name}</code>
        </span>
      ))}
    </div>
  )
}
