import { Ellipsis, Play, RefreshCw, Unplug } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { ConnectedProgram, ProgramState } from '../../../../src-preload/contract/programs.ts'
import { joinFacts, joinSentences, showNames } from '../../../i18n/format.ts'
import { useStudio } from '../../../shared/studioContext.ts'
import { Button, IconButton } from '../../../shared/ui/Button.tsx'
import { Card } from '../../../shared/ui/Card.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { Menu, MenuItem } from '../../../shared/ui/Menu.tsx'
import { Notice } from '../../../shared/ui/Notice.tsx'
import { Pill, type PillTone } from '../../../shared/ui/Pill.tsx'
import { useCall } from '../../../shared/useCall.ts'
import { useNow } from '../../../shared/useNow.ts'
import { useApps } from '../../../stores/apps.ts'
import { movedPrograms, usePrograms } from '../../../stores/programs.ts'
import { attempt, say } from '../actions.ts'
import { showTime } from '../figures.ts'
import { nameOfProgram, readPrograms, rewritePrograms, useReadPrograms } from './actions.ts'
import { FileDiff } from './FileDiff.tsx'
import { FileProblem } from './FileProblem.tsx'
import { TrialDialog } from './TrialDialog.tsx'
import { usePreview } from './usePreview.ts'

const tones: Record<ProgramState, PillTone> = {
  connected: 'good',
  linesGone: 'warn',
  otherAddress: 'warn',
  keyReplaced: 'warn',
  fileGone: 'bad',
  unreadable: 'bad',
  programGone: 'muted',
}

interface ConnectedProps {
  baseUrl: string | null
  /** Opens the replacement of an app's key, after which the program can be connected again. */
  onNewKey: (app: App) => void
}

/** Programs whose files have lines of ours, and what is wrong with them. Empty while there are none. */
export function ConnectedPrograms(props: ConnectedProps) {
  const { t } = useTranslation('programs')
  const { connected } = usePrograms()
  const [leaving, setLeaving] = useState<ConnectedProgram | null>(null)
  const [tried, setTried] = useState<ConnectedProgram | null>(null)
  useReadPrograms()
  const { programs } = usePrograms()
  const moved = movedPrograms(connected)
  const triedProgram = programs?.find(({ id }) => id === tried?.program)
  if (connected.length === 0) return null
  const write = () => void attempt((studio) => rewritePrograms(studio, null, null))
  return (
    <section aria-label={t('title')} className="flex flex-col gap-3">
      <h2 className="font-semibold">{t('title')}</h2>
      {moved.length > 0 && props.baseUrl && (
        <Notice
          kind="warn"
          title={t('moved.title', { count: moved.length })}
          action={{ label: t('moved.write'), onClick: write }}
        >
          {t('moved.about', { address: props.baseUrl })}
        </Notice>
      )}
      <Card>
        <ul>
          {connected.map((one) => (
            <Row key={one.id} {...props} one={one} onLeave={() => setLeaving(one)} onTry={() => setTried(one)} />
          ))}
        </ul>
      </Card>
      <Leaving one={leaving} onClose={() => setLeaving(null)} />
      {triedProgram && <TrialDialog program={triedProgram} connection={tried} onClose={() => setTried(null)} />}
    </section>
  )
}

function Row({
  one,
  onNewKey,
  onLeave,
  onTry,
}: ConnectedProps & { one: ConnectedProgram; onLeave: () => void; onTry: () => void }) {
  const { t } = useTranslation(['programs', 'proxy'])
  const now = useNow(30_000)
  const app = useApps()?.find(({ id }) => id === one.appId)
  const { programs } = usePrograms()
  const name = nameOfProgram(one.program)
  const canTry = one.state === 'connected' && programs?.find(({ id }) => id === one.program)?.canTry
  const check = () => void attempt(readPrograms)
  const write = () => void attempt((studio) => rewritePrograms(studio, one.appId, null))
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 border-line border-t px-3.5 py-2.5 text-s first:border-t-0">
      <div className="min-w-[min(220px,100%)] flex-1">
        <div className="flex flex-wrap items-center gap-2">
          <span className="font-[560]">{name}</span>
          <Pill tone={tones[one.state]}>{t(`state.${one.state}`)}</Pill>
        </div>
        <code className="block break-all font-mono text-soft">{one.file}</code>
        {one.state !== 'connected' && (
          <p className="mt-1">{joinSentences([t(`about.${one.state}`), one.problem?.message])}</p>
        )}
      </div>
      <div className="num min-w-[min(180px,100%)] flex-1 text-soft">
        <div className="break-words text-ink">{app ? t('keyOf', { name: app.name }) : t('appGone')}</div>
        <div className="break-all">
          {joinFacts([
            t('model', { model: one.model }),
            app && app.modelMap.length > 0 && t('rules', { count: app.modelMap.length }),
            one.tools && t('proxy:form.tools'),
          ])}
        </div>
        <div>{app?.lastUsedAt ? t('latest', { at: showTime(app.lastUsedAt, now) }) : t('noRequest')}</div>
      </div>
      <div className="flex items-center gap-1">
        {one.state === 'otherAddress' && (
          <Button size="small" onClick={write}>
            {t('writeAddress')}
          </Button>
        )}
        {app && (one.state === 'linesGone' || one.state === 'fileGone' || one.state === 'keyReplaced') && (
          <Button size="small" onClick={() => onNewKey(app)}>
            {t(one.state === 'keyReplaced' ? 'newKey' : 'again')}
          </Button>
        )}
        {one.state === 'unreadable' && (
          <Button size="small" onClick={check}>
            {t('checkAgain')}
          </Button>
        )}
        <Menu trigger={<IconButton icon={Ellipsis} size="small" label={t('actions', { name })} />}>
          {canTry && <MenuItem icon={Play} label={t('testRun')} onSelect={onTry} />}
          <MenuItem icon={RefreshCw} label={t('checkAgain')} onSelect={check} />
          <MenuItem icon={Unplug} label={t('disconnect')} onSelect={onLeave} />
        </Menu>
      </div>
    </li>
  )
}

/** Shows what Disconnect takes out of the file, and does it. */
function Leaving({ one, onClose }: { one: ConnectedProgram | null; onClose: () => void }) {
  const { t } = useTranslation('programs')
  const name = one ? nameOfProgram(one.program) : ''
  return (
    <Dialog open={one !== null} onClose={onClose} width="wide" title={t('disconnecting.title', { name })}>
      {one && <LeavingBody one={one} name={name} onClose={onClose} />}
    </Dialog>
  )
}

function LeavingBody({ one, name, onClose }: { one: ConnectedProgram; name: string; onClose: () => void }) {
  const { t } = useTranslation(['programs', 'common'])
  const studio = useStudio()
  const { preview, unread, readAgain } = usePreview(
    (signal) => studio.programs.previewDisconnect({ id: one.id }, { signal }),
    one.id,
  )
  const { busy, problem, run, clear } = useCall()
  const failure = problem ?? unread
  const again = () => {
    clear()
    readAgain()
  }
  const leave = () =>
    run(async () => {
      if (!preview) return
      const { left } = await studio.programs.disconnect({ id: one.id, seen: preview.seen })
      const entries = showNames(left)
      say('programs', t(left.length > 0 ? 'disconnecting.left' : 'disconnecting.done', { name, entries }))
      await readPrograms(studio)
      onClose()
    })
  return (
    <>
      <p className="text-soft">
        <code className="block break-all font-mono text-ink text-s">{one.file}</code>
        {t(preview?.diff === '' ? 'disconnecting.gone' : 'disconnecting.about')}
      </p>
      {preview && preview.diff !== '' && <FileDiff file={preview.file} diff={preview.diff} />}
      {failure && <FileProblem problem={failure} onAgain={again} />}
      <footer className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{t('common:cancel')}</Button>
        <Button variant="danger" busy={busy} disabled={!preview} onClick={leave}>
          {t('disconnecting.confirm')}
        </Button>
      </footer>
    </>
  )
}
