import { AudioLines, Ellipsis, FileAudio, Mic, PenLine, Trash2 } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { Recording } from '../../../src-preload/contract/transcription.ts'
import { showDay } from '../../i18n/format.ts'
import { clockOf } from '../../shared/audio/durationText.ts'
import { isComposing } from '../../shared/isComposing.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { InlineNameField } from '../../shared/ui/InlineNameField.tsx'
import { MadeBy } from '../../shared/ui/MadeBy.tsx'
import { Menu, MenuItem } from '../../shared/ui/Menu.tsx'
import { Pill } from '../../shared/ui/Pill.tsx'
import { SearchField } from '../../shared/ui/SearchField.tsx'
import { ListSkeleton } from '../../shared/ui/Skeleton.tsx'
import { StatusText } from '../../shared/ui/StatusText.tsx'
import { listedRecordings, listedTotal, useTranscribe } from '../../stores/transcription.ts'
import { readOlder, removeRecordings, rename, searchFor, showRecording } from './actions.ts'
import { summaryOf } from './labels.ts'
import { newRecording } from './record.ts'

const icons = { microphone: Mic, file: FileAudio, speech: AudioLines } as const

/** The list region: search, new, and the recordings, newest first. */
export function TranscribeList() {
  const { t } = useTranslation('transcribe')
  const field = useRef<HTMLInputElement>(null)
  const search = useTranscribe((now) => now.search)
  const rows = useRef<RowsHandle | null>(null)
  const byKey = (event: KeyboardEvent): void => {
    if (isComposing(event)) return
    if (event.key === 'Escape' && search !== '') searchFor('')
    else if (event.key === 'ArrowDown') rows.current?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <nav className="flex h-full min-w-0 flex-col bg-panel" aria-label={t('list')}>
      <SearchField
        className="transcribe-find mx-3 mt-3 mb-2 h-[30px] flex-none"
        iconSize={15}
        inputRef={field}
        type="text"
        label={t('search')}
        maxLength={1000}
        value={search}
        onValue={searchFor}
        clearLabel={t('clearSearch')}
        onKeyDown={byKey}
      />
      <div className="mx-3 mb-1 flex flex-none">
        <Button icon={Mic} className="flex-1" onClick={newRecording}>
          {t('newRecording')}
        </Button>
      </div>
      <Rows handle={rows} />
    </nav>
  )
}

interface RowsHandle {
  focus(): void
}

function Rows({ handle }: { handle: { current: RowsHandle | null } }) {
  const { t } = useTranslation('transcribe')
  const state = useTranscribe((now) => now.state)
  const list = useTranscribe(listedRecordings)
  const total = useTranscribe(listedTotal)
  const search = useTranscribe((now) => now.search)
  const answered = useTranscribe((now) => now.search.trim() === '' || now.found?.search === now.search)
  const current = useTranscribe((now) => now.open?.id ?? null)
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<VirtualizerHandle>(null)
  const [reached, setReached] = useState<string | null>(null)
  const [naming, setNaming] = useState<string | null>(null)
  const at = Math.max(
    0,
    list.findIndex(({ id }) => id === (reached ?? current)),
  )
  const focus = (place: number): void => {
    const one = list[place]
    if (!one) return
    setReached(one.id)
    view.current?.scrollToIndex(place, { align: 'nearest' })
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-id="${one.id}"] button`)?.focus())
  }
  useEffect(() => {
    handle.current = { focus: () => focus(at) }
  })
  const remove = (id: string): void => {
    void removeRecordings([id]).then(() => focus(Math.min(at, list.length - 2)))
  }
  const byKey = (event: KeyboardEvent): void => {
    if (naming !== null || isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return
    const one = list[at]
    if (!one) return
    if (event.key === 'ArrowDown') focus(Math.min(list.length - 1, at + 1))
    else if (event.key === 'ArrowUp') focus(Math.max(0, at - 1))
    else if (event.key === 'Home') focus(0)
    else if (event.key === 'End') focus(list.length - 1)
    else if (event.key === 'F2') setNaming(one.id)
    else if (event.key === 'Delete') remove(one.id)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  if (state === 'loading') return <ListSkeleton label={t('loading')} />
  if (list.length === 0) {
    return (
      <p role="status" className="px-4 py-3 text-faint text-s">
        {search.trim() === '' ? t('emptyList') : answered && t('noMatch', { search: search.trim() })}
      </p>
    )
  }
  const more = (): void => {
    const { current: now } = view
    if (now && now.scrollOffset + now.viewportSize > now.scrollSize - 800) void readOlder()
  }
  return (
    <>
      <StatusText>{search.trim() !== '' && answered && t('foundCount', { count: total })}</StatusText>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles the bubbling key events of its items */}
      <div ref={box} className="min-h-0 flex-1 overflow-y-auto px-2 pb-2" onKeyDown={byKey}>
        {/* biome-ignore lint/a11y/useSemanticElements: a virtual list wraps each item in its own element */}
        <div role="list" aria-label={t('list')}>
          <Virtualizer ref={view} scrollRef={box} onScroll={more} keepMounted={[at]}>
            {list.map((one, place) => (
              <Row
                key={one.id}
                recording={one}
                current={one.id === current}
                reached={place === at}
                naming={naming === one.id}
                onReach={setReached}
                onName={setNaming}
                onRemove={remove}
              />
            ))}
          </Virtualizer>
        </div>
      </div>
    </>
  )
}

function Row(props: {
  recording: Recording
  current: boolean
  reached: boolean
  naming: boolean
  onReach: (id: string) => void
  onName: (id: string | null) => void
  onRemove: (id: string) => void
}) {
  const { t } = useTranslation('transcribe')
  const { recording, current, reached } = props
  const { id, app, name, source, seconds, createdAt, state, transcript } = recording
  const Icon = icons[source]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtual list wraps each item in its own element
    <div role="listitem" data-id={id} data-current={current} className="transcribe-row flex items-center rounded-m">
      {props.naming ? (
        <InlineNameField
          maxLength={300}
          name={name}
          label={t('nameOf')}
          onName={(fresh) => void rename(id, fresh)}
          onEnd={() => props.onName(null)}
        />
      ) : (
        <>
          <button
            type="button"
            tabIndex={reached ? 0 : -1}
            aria-current={current ? 'true' : undefined}
            className="grid min-w-0 flex-1 rounded-m py-1.5 ps-2 pe-1 text-start"
            onFocus={() => props.onReach(id)}
            onClick={() => showRecording(id)}
          >
            <span className="flex min-w-0 items-center gap-1.5">
              <Icon aria-hidden size={13} className="shrink-0 text-faint" />
              <b className="min-w-0 flex-1 truncate font-[520]" dir="auto">
                {name}
              </b>
            </span>
            <span className="truncate text-faint text-s" dir="auto">
              {summaryOf(recording)}
            </span>
            <span className="num flex items-center gap-1 text-faint text-s">
              <MadeBy app={app} className="max-w-[50%]" />
              {app !== undefined && '· '}
              <time dateTime={createdAt}>{showDay(createdAt)}</time>
              {seconds !== null && `· ${clockOf(seconds)}`}
              {state === 'cut' && <Pill tone="warn">{t('cut')}</Pill>}
              {transcript?.state === 'failed' && <Pill tone="bad">{t('file_failed')}</Pill>}
            </span>
          </button>
          <div className="flex-none self-start pe-1 pt-1">
            <Menu
              trigger={
                <IconButton
                  icon={Ellipsis}
                  size="small"
                  label={t('more', { name })}
                  tabIndex={reached ? 0 : -1}
                  className="transcribe-more"
                />
              }
            >
              <MenuItem icon={PenLine} label={t('rename')} onSelect={() => props.onName(id)} />
              <MenuItem icon={Trash2} danger label={t('remove')} onSelect={() => props.onRemove(id)} />
            </Menu>
          </div>
        </>
      )}
    </div>
  )
}
