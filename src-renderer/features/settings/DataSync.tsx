import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../src-preload/contract/app.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { SyncReport } from '../../../src-preload/contract/transfers.ts'
import { problemOf } from '../../api/problem.ts'
import { showNote } from '../../i18n/format.ts'
import { useDesktop } from '../../shared/desktop.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { localStore } from '../../shared/storage.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Facts } from '../../shared/ui/Facts.tsx'
import { Field, TextInput } from '../../shared/ui/Field.tsx'
import { Form } from '../../shared/ui/Form.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { RelativeTime } from '../../shared/ui/RelativeTime.tsx'
import { useData } from '../../stores/data.ts'
import { Group, SegmentedRow, SwitchRow } from './Group.tsx'
import { useSave } from './useSave.ts'

/** Where earlier versions stored the folder that was used last. */
const formerKey = 'syncFolder'
const intervals = [5, 15, 60] as const

/** Syncs the chats of several computers through a folder that a sync tool copies: on request, and automatically. */
export function DataSync({ settings }: { settings: Settings }) {
  const { t } = useTranslation('data')
  const studio = useStudio()
  const save = useSave()
  const desktop = useDesktop(({ client }) => client)
  const state = useData(({ sync }) => sync)
  const field = useRef<HTMLInputElement>(null)
  const [folder, setFolder] = useState(settings.syncFolder ?? localStore.get(formerKey) ?? '')
  /** A failure that is no result of a sync, for example because an import runs. */
  const [problem, setProblem] = useState<Problem | null>(null)
  const chosen = folder.trim()
  const [isAsked, setAsked] = useState(false)
  // The state comes a moment after the answer, so it does not decide whether the person may start a sync.
  const isRunning = isAsked || state?.isRunning === true
  const run = async (): Promise<void> => {
    if (isAsked || chosen === '') return
    setProblem(null)
    setAsked(true)
    try {
      await studio.archive.sync({ folder: chosen })
      if (settings.syncFolder !== chosen) save({ syncFolder: chosen })
    } catch (thrown) {
      setProblem(problemOf(thrown))
    } finally {
      setAsked(false)
    }
  }
  const choose = async (): Promise<void> => {
    setProblem(null)
    try {
      const found = await desktop?.chooseFolder({ title: t('sync.chooseTitle'), from: chosen === '' ? null : chosen })
      if (found?.folder) setFolder(found.folder)
      field.current?.focus()
    } catch (thrown) {
      setProblem(problemOf(thrown))
    }
  }
  const last = state?.last ?? null
  const on = { retry: () => void run(), edit: () => field.current?.focus() }
  return (
    <Group title={t('sync.title')} about={t('sync.about')}>
      <Form onSubmit={() => void run()} className="flex flex-col items-start gap-3">
        <div className="w-full">
          <Field label={t('sync.folder')} hint={t('sync.folderHint')}>
            <TextInput
              ref={field}
              value={folder}
              onChange={(event) => setFolder(event.target.value)}
              spellCheck={false}
              mono
            />
          </Field>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" busy={isAsked} disabled={chosen === ''}>
            {t(isRunning ? 'sync.running' : 'sync.run')}
          </Button>
          {desktop && <Button onClick={() => void choose()}>{t('sync.choose')}</Button>}
        </div>
      </Form>
      <SwitchRow
        label={t('sync.automatic')}
        hint={t('sync.automaticHint')}
        checked={settings.syncAutomatic}
        disabled={chosen === '' && !settings.syncAutomatic}
        onChange={(syncAutomatic) => save({ syncAutomatic, ...(chosen !== '' && { syncFolder: chosen }) })}
      />
      {settings.syncAutomatic && (
        <SegmentedRow
          label={t('sync.every')}
          value={String(settings.syncMinutes)}
          onChange={(minutes) => save({ syncMinutes: Number(minutes) })}
          segments={intervals.map((minutes) => ({
            value: String(minutes),
            label: t('sync.minutes', { minutes }),
          }))}
        />
      )}
      {problem && problem.message !== last?.problem?.message && <ProblemNotice problem={problem} on={on} />}
      {last?.problem && <ProblemNotice problem={last.problem} role={last.isAutomatic ? 'note' : 'alert'} on={on} />}
      {last?.report && <Report report={last.report} />}
      <p className="text-faint text-s">
        <Facts>
          {last ? <RelativeTime at={last.at} did="synced" /> : t('sync.none')}
          {last && last.folder !== chosen && last.folder}
        </Facts>
      </p>
    </Group>
  )
}

function Report({ report: { files, notes, written } }: { report: SyncReport }) {
  const { t } = useTranslation('data')
  const refused = files.filter(({ outcome }) => outcome === 'refused')
  const sum = (field: 'added' | 'changed' | 'messages'): number => files.reduce((all, file) => all + file[field], 0)
  const [added, changed, messages] = [sum('added'), sum('changed'), sum('messages')]
  const isNothing = added + changed + messages === 0
  return (
    <Notice
      kind={refused.length + notes.length > 0 ? 'warn' : 'good'}
      role="status"
      title={
        files.length === 0
          ? t('sync.alone')
          : isNothing
            ? t('sync.same')
            : t('sync.merged', { added, changed, messages })
      }
    >
      {written && <p>{t('sync.written')}</p>}
      {refused.map(({ name, problem }) => (
        <p key={name} className="[overflow-wrap:anywhere]">
          {t('sync.refused', { name, problem: showNote(problem ?? '') })}
        </p>
      ))}
      {notes.map((note, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list that never changes, and chats may have the same title
        <p key={at} className="[overflow-wrap:anywhere]">
          {showNote(note)}
        </p>
      ))}
    </Notice>
  )
}
