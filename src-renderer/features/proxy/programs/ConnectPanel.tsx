import { FileText, Plug } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ConnectedProgram, FilePreview, Program } from '../../../../src-preload/contract/programs.ts'
import { joinSentences } from '../../../i18n/format.ts'
import { useStudio } from '../../../shared/studioContext.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Notice } from '../../../shared/ui/Notice.tsx'
import { useCall } from '../../../shared/useCall.ts'
import { usePrograms } from '../../../stores/programs.ts'
import { readPrograms } from './actions.ts'
import { changesOtherFiles, FileDiff } from './FileDiff.tsx'
import { FileProblem } from './FileProblem.tsx'
import { type AppTools, ToolsChoice } from './ToolsChoice.tsx'
import { TrialDialog } from './TrialDialog.tsx'
import { usePreview } from './usePreview.ts'

interface PanelProps {
  program: Program
  app: AppTools & { id: string }
  /** The app's key while it is in memory, or null. */
  secret: string | null
  model: string
  /** Whether the program also gets the studio's MCP server. */
  tools: boolean
  onTools: (tools: boolean) => void
  /** The lines to paste by hand. */
  lines: ReactNode
}

/** Connects one program: shows what would change in its file, and writes it. */
export function ConnectPanel({ lines, ...props }: PanelProps) {
  const { t } = useTranslation('programs')
  const { program, app, model, tools } = props
  const [areLinesShown, setLinesShown] = useState(false)
  const { connected } = usePrograms()
  const mine = connected.find((one) => one.program === program.id && one.appId === app.id)
  const isDone = mine?.state === 'connected' && mine.model === model && mine.tools === tools && (app.tools || !tools)
  const show = (
    <Button icon={FileText} aria-expanded={areLinesShown} onClick={() => setLinesShown(!areLinesShown)}>
      {t(areLinesShown ? 'panel.hideLines' : 'panel.showLines')}
    </Button>
  )
  return (
    <>
      {program.canUseTools && <ToolsChoice app={app} checked={tools} onChange={props.onTools} />}
      {isDone ? (
        <>
          <Done program={program} connection={mine} />
          <div>{show}</div>
        </>
      ) : (
        <Change {...props} isKnown={mine !== undefined} beside={show} />
      )}
      {areLinesShown && lines}
    </>
  )
}

/** The change of the files, and the button that writes it. @param isKnown the file has a key of the app */
function Change({
  program,
  app,
  secret,
  model,
  tools,
  isKnown,
  beside,
}: Omit<PanelProps, 'lines' | 'onTools'> & { isKnown: boolean; beside: ReactNode }) {
  const { t } = useTranslation('programs')
  const studio = useStudio()
  const { busy, problem, run, clear } = useCall()
  const target = { program: program.id, appId: app.id, model, tools }
  const { preview, unread, readAgain } = usePreview(
    (signal) => studio.programs.preview(target, { signal }),
    JSON.stringify(target),
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
  const needsKey = secret === null && !isKnown
  return (
    <>
      {!program.installed && <Notice kind="info">{t('panel.notFound', { name: program.name })}</Notice>}
      <div className="text-s text-soft">
        <code className="block break-all font-mono text-ink">{preview?.file ?? program.file}</code>
        {preview ? t(`panel.${aboutChange(preview)}`) : !unread && t('panel.loading')}
      </div>
      {preview && preview.diff !== '' && <FileDiff file={preview.file} diff={preview.diff} />}
      {failure && <FileProblem problem={failure} onAgain={again} />}
      {needsKey && <p className="text-s text-soft">{t('panel.needsKey')}</p>}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" icon={Plug} busy={busy} disabled={!preview || needsKey} onClick={connect}>
          {t('panel.connect')}
        </Button>
        {beside}
      </div>
    </>
  )
}

function aboutChange({ file, diff, exists }: FilePreview) {
  if (diff === '') return 'nothing'
  if (changesOtherFiles(file, diff)) return 'aboutFiles'
  return exists ? 'about' : 'creates'
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
        {joinSentences([
          t(`appSetups:takesEffect.${program.takesEffect}`, { name: program.name }),
          program.keyPlace !== 'file' && t(`appSetups:keyPlaces.${program.keyPlace}`),
        ])}
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
      <p>{t('panel.overridden')}</p>
      <ul className="flex flex-wrap gap-x-3">
        {program.overrides.map(({ name, isSet }) => (
          <li key={name}>
            <code className="break-all font-mono text-ink">{isSet ? t('panel.set', { name }) : name}</code>
          </li>
        ))}
      </ul>
    </div>
  )
}
