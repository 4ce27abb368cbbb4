import { Pencil } from 'lucide-react'
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { Cue, Transcript } from '../../../src-preload/contract/transcription.ts'
import { isComposing } from '../../shared/isComposing.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { attempt } from './client.ts'
import type { FindResult } from './FindBar.tsx'
import { timeOf } from './labels.ts'
import { Marked } from './Marked.tsx'
import { playFrom, usePlayback } from './playback.ts'

/** Lines with their times. The playing line is marked and scrolled into view, unless the person scrolls. */
export function Cues({ transcript, found }: { transcript: Transcript; found: FindResult }) {
  const { t } = useTranslation('transcribe')
  const { cues } = transcript
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const [reached, setReached] = useState(0)
  const [editing, setEditing] = useState<number | null>(null)
  const { away, follow, leave } = useFollowing(box, list)
  const show = useCallback((at: number) => list.current?.scrollToIndex(at, { align: 'center' }), [])
  const focus = useCallback((at: number): void => {
    setReached(at)
    list.current?.scrollToIndex(at, { align: 'nearest' })
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-cue="${at}"] button`)?.focus())
  }, [])
  useEffect(() => {
    if (found.cue < 0) return
    leave()
    show(found.cue)
  }, [found.cue, show, leave])
  const endEdit = (at: number): void => {
    setEditing(null)
    focus(at)
  }
  const byKey = (event: KeyboardEvent): void => {
    if (editing !== null || isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return
    const to = walked(event.key, reached, cues.length)
    if (event.key === 'F2') setEditing(reached)
    else if (to === null) return
    else focus(to)
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <span id="cue-keys" className="sr-only">
        {t('cueKeys')}
      </span>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles the bubbling key events of its items */}
      <div
        ref={box}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-2 [overflow-anchor:none] max-[800px]:px-2"
        onWheel={leave}
        onTouchMove={leave}
        onKeyDown={byKey}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: a virtual list wraps each item in its own element */}
        <div role="list" aria-label={t('cues')} aria-describedby="cue-keys">
          <Virtualizer ref={list} scrollRef={box} keepMounted={editing === null ? [reached] : [reached, editing]}>
            {cues.map((cue, at) => (
              <Line
                // Lines have no ids, and their order does not change while they are edited.
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                key={at}
                {...{ transcript, cue, at, found }}
                reached={reached === at}
                editing={editing === at}
                onReach={setReached}
                onPlay={(from) => {
                  follow()
                  playFrom(from)
                }}
                onEdit={setEditing}
                onEndEdit={endEdit}
              />
            ))}
          </Virtualizer>
        </div>
      </div>
      {away && (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <Button size="small" className="pointer-events-auto shadow-large" onClick={follow}>
            {t('follow')}
          </Button>
        </div>
      )}
    </div>
  )
}

function walked(key: string, from: number, count: number): number | null {
  if (key === 'ArrowDown') return Math.min(count - 1, from + 1)
  if (key === 'ArrowUp') return Math.max(0, from - 1)
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return null
}

/** Scrolls the playing line into view. Stops when the person scrolls, and resumes on request. */
function useFollowing(box: { current: HTMLElement | null }, list: { current: VirtualizerHandle | null }) {
  const cue = usePlayback((now) => now.cue)
  const playing = usePlayback((now) => now.playing)
  const [left, setLeft] = useState(false)
  const show = useCallback(
    (at: number): void => {
      if (at < 0) return
      const line = box.current?.querySelector(`[data-cue="${at}"]`)?.getBoundingClientRect()
      const view = box.current?.getBoundingClientRect()
      if (line && view && line.top >= view.top + 8 && line.bottom <= view.bottom - 24) return
      list.current?.scrollToIndex(at, { align: 'center' })
    },
    [box, list],
  )
  useEffect(() => {
    if (playing && !left) show(cue)
  }, [cue, playing, left, show])
  const follow = useCallback(() => {
    setLeft(false)
    show(usePlayback.getState().cue)
  }, [show])
  const leave = useCallback(() => {
    if (usePlayback.getState().playing) setLeft(true)
  }, [])
  return { away: left && playing, follow, leave }
}

function Line(props: {
  transcript: Transcript
  cue: Cue
  at: number
  found: FindResult
  reached: boolean
  editing: boolean
  onReach: (at: number) => void
  onPlay: (from: number) => void
  onEdit: (at: number) => void
  onEndEdit: (at: number) => void
}) {
  const { t } = useTranslation('transcribe')
  const { transcript, cue, at, found } = props
  const heard = usePlayback((now) => now.cue === at)
  const time = timeOf(cue.from)
  if (props.editing) {
    return (
      // biome-ignore lint/a11y/useSemanticElements: a virtual list wraps each item in its own element
      <div data-cue={at} className="transcribe-cue" role="listitem">
        <span className="transcribe-time num">{time}</span>
        <CueField {...{ transcript, at, cue }} label={t('cueText', { time })} onEnd={() => props.onEndEdit(at)} />
      </div>
    )
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtual list wraps each item in its own element
    <div data-cue={at} data-heard={heard} className="transcribe-cue" role="listitem">
      <button
        type="button"
        className="transcribe-line"
        aria-current={heard ? 'true' : undefined}
        tabIndex={props.reached ? 0 : -1}
        onFocus={() => props.onReach(at)}
        onClick={() => props.onPlay(cue.from)}
      >
        <span className="transcribe-time num">{time}</span>
        <span className="transcribe-words" dir="auto">
          <Marked text={cue.text} needle={found.needle} current={found.cue === at ? found.inCue : -1} />
        </span>
      </button>
      <IconButton
        icon={Pencil}
        size="small"
        label={t('editCue', { time })}
        tabIndex={props.reached ? 0 : -1}
        className="transcribe-pencil"
        onClick={() => props.onEdit(at)}
      />
    </div>
  )
}

/** Enter or blur saves, Shift+Enter inserts a line break, Escape cancels. */
function CueField(props: { transcript: Transcript; at: number; cue: Cue; label: string; onEnd: () => void }) {
  const { transcript, at, cue } = props
  const field = useRef<HTMLTextAreaElement>(null)
  const ended = useRef(false)
  useEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [])
  const end = (isSaved: boolean): void => {
    if (ended.current) return
    ended.current = true
    const text = field.current?.value ?? cue.text
    props.onEnd()
    if (!isSaved || text.trim() === '' || text === cue.text) return
    const cues = transcript.cues.map((one, place) => (place === at ? { ...one, text } : one))
    void attempt((core) => core.transcription.edit({ transcriptId: transcript.id, cues }))
  }
  return (
    <textarea
      ref={field}
      aria-label={props.label}
      defaultValue={cue.text}
      dir="auto"
      rows={1}
      className="transcribe-field"
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (isComposing(event)) return
        if (event.key === 'Escape' || (event.key === 'Enter' && !event.shiftKey)) {
          event.preventDefault()
          end(event.key === 'Enter')
        }
      }}
    />
  )
}
