import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SyncReport } from '../../../src-preload/contract/transfers.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { localStore } from '../../shared/storage.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Field, TextInput } from '../../shared/ui/Field.tsx'
import { Form } from '../../shared/ui/Form.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { useCall } from '../../shared/useCall.ts'
import { Group } from './Group.tsx'

/** The folder that was used last on this computer. */
const kept = 'syncFolder'

/** Syncs the chats of several computers through a folder that a sync tool copies. */
export function DataSync() {
  const { t } = useTranslation('data')
  const studio = useStudio()
  const [folder, setFolder] = useState(localStore.get(kept) ?? '')
  const { busy, problem, run } = useCall()
  const [report, setReport] = useState<SyncReport | null>(null)
  const sync = (): void => {
    if (busy || folder.trim() === '') return
    setReport(null)
    run(async () => {
      setReport(await studio.archive.sync({ folder: folder.trim() }))
      localStore.set(kept, folder.trim())
    })
  }
  return (
    <Group title={t('sync.title')} about={t('sync.about')}>
      <Form onSubmit={sync} className="flex flex-col items-start gap-3">
        <div className="w-full">
          <Field label={t('sync.folder')} hint={t('sync.folderHint')}>
            <TextInput value={folder} onChange={(event) => setFolder(event.target.value)} spellCheck={false} mono />
          </Field>
        </div>
        <Button type="submit" busy={busy} disabled={folder.trim() === ''}>
          {t('sync.run')}
        </Button>
      </Form>
      {problem && <ProblemNotice problem={problem} on={{ retry: sync }} />}
      {report && <Report report={report} />}
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
          {t('sync.refused', { name, problem: problem ?? '' })}
        </p>
      ))}
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </Notice>
  )
}
