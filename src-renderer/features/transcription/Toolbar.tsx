import { Columns2, Download, MessageSquare, Pencil, PencilOff, Undo2, Volume2 } from 'lucide-react'
import type { RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import type { Transcript } from '../../../src-preload/contract/transcription.ts'
import { i18n } from '../../i18n/index.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { Menu, MenuItem } from '../../shared/ui/Menu.tsx'
import { Pill } from '../../shared/ui/Pill.tsx'
import { Segmented } from '../../shared/ui/Segmented.tsx'
import { Select } from '../../shared/ui/Select.tsx'
import type { OpenRecording } from '../../stores/transcription.ts'
import { compareWith, saveTranscript, showTranscript } from './actions.ts'
import { attempt, say } from './client.ts'
import { FindBar, type FindResult } from './FindBar.tsx'
import { sendToChat, speakIt } from './handOver.ts'
import { versionOf } from './labels.ts'

export type TranscriptView = 'timed' | 'text'

/** Selects the transcript and its view, with its actions. */
export function Toolbar(props: {
  open: OpenRecording
  transcript: Transcript
  view: TranscriptView
  hasTimes: boolean
  editing: boolean
  found: FindResult
  field: RefObject<HTMLInputElement | null>
  onView: (view: TranscriptView) => void
  onEdit: (editing: boolean) => void
  onLook: (needle: string) => void
  onWalk: (by: 1 | -1) => void
}) {
  const { t } = useTranslation('transcribe')
  const { open, transcript, view, hasTimes, editing } = props
  const { id, text, edited } = transcript
  return (
    <div className="flex flex-none flex-wrap items-center gap-x-2 gap-y-1.5 border-line border-b px-5 py-2 max-[800px]:px-3">
      {open.transcripts.length > 1 && <Versions open={open} shown={transcript} />}
      {hasTimes && open.comparedId === null && (
        <Segmented
          label={t('view')}
          value={view}
          segments={[
            { value: 'timed', label: t('timed') },
            { value: 'text', label: t('asText') },
          ]}
          onChange={props.onView}
        />
      )}
      {edited && (
        <>
          <Pill tone="muted">{t('edited')}</Pill>
          <IconButton icon={Undo2} size="small" label={t('revert')} onClick={() => void revert(id)} />
        </>
      )}
      <div className="ms-auto flex min-w-0 flex-wrap items-center justify-end gap-1">
        {open.comparedId === null && (
          <FindBar found={props.found} field={props.field} onLook={props.onLook} onWalk={props.onWalk} />
        )}
        {!hasTimes && open.comparedId === null && (
          <IconButton
            icon={editing ? PencilOff : Pencil}
            label={t(editing ? 'editDone' : 'edit')}
            pressed={editing}
            onClick={() => props.onEdit(!editing)}
          />
        )}
        <CopyButton text={text} name={t('copy')} />
        <SaveMenu transcript={transcript} hasTimes={hasTimes} />
        <IconButton icon={Volume2} label={t('speak')} disabled={text.trim() === ''} onClick={() => speakIt(text)} />
        <Button icon={MessageSquare} disabled={text.trim() === ''} onClick={() => sendToChat(text)}>
          {t('toChat')}
        </Button>
      </div>
    </div>
  )
}

async function revert(transcriptId: string): Promise<void> {
  const done = await attempt((core) => core.transcription.revert({ transcriptId }))
  if (done) say('reverted', i18n.t('transcribe:reverted'))
}

function SaveMenu({ transcript, hasTimes }: { transcript: Transcript; hasTimes: boolean }) {
  const { t } = useTranslation('transcribe')
  const { id, text, came } = transcript
  return (
    <Menu
      trigger={
        <Button icon={Download} disabled={text.trim() === ''}>
          {t('save')}
        </Button>
      }
    >
      <MenuItem icon={Download} label={t('saveTxt')} onSelect={() => void saveTranscript(id, 'txt')} />
      {hasTimes ? (
        <>
          <MenuItem icon={Download} label={t('saveVtt')} onSelect={() => void saveTranscript(id, 'vtt')} />
          <MenuItem icon={Download} label={t('saveSrt')} onSelect={() => void saveTranscript(id, 'srt')} />
        </>
      ) : (
        <p className="max-w-52 px-2 py-1.5 text-faint text-s">{t(came === 'vtt' ? 'noTimes' : 'needsTimes')}</p>
      )}
    </Menu>
  )
}

/** Selects the shown transcript of a recording and the transcript beside it. */
function Versions({ open, shown }: { open: OpenRecording; shown: Transcript }) {
  const { t } = useTranslation('transcribe')
  const choices = open.transcripts.map((one, at) => ({
    value: one.id,
    label: versionOf(one, open.transcripts.length - at),
  }))
  const others = choices.filter(({ value }) => value !== shown.id)
  return (
    <>
      <Select
        label={t('whichTranscript')}
        className="max-w-[230px]"
        value={shown.id}
        choices={choices}
        onPick={showTranscript}
      />
      <Columns2 aria-hidden size={14} className="text-faint" />
      <Select
        label={t('compare')}
        className="max-w-[230px]"
        value={open.comparedId ?? ''}
        choices={[{ value: '', label: t('compareNone') }, ...others]}
        onPick={(picked) => compareWith(picked === '' ? null : picked)}
      />
    </>
  )
}
