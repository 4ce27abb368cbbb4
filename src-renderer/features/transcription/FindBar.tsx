import { ChevronDown, ChevronUp, Search } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Transcript } from '../../../src-preload/contract/transcription.ts'
import { showCount } from '../../i18n/format.ts'
import { isComposing } from '../../shared/isComposing.ts'
import { IconButton } from '../../shared/ui/Button.tsx'
import { hitsIn } from './find.ts'

/** The search results in a transcript, and the current match. */
export interface FindResult {
  needle: string
  count: number
  /** Index of the current match, from 0. -1: none yet. */
  at: number
  /** The current match's line and its index in the line. -1 without lines. */
  cue: number
  inCue: number
}

/** Searches the lines when they are shown, otherwise the text. */
export function useFound(transcript: Transcript | null, timed: boolean) {
  const [needle, setNeedle] = useState('')
  const [walkedTo, setWalkedTo] = useState(-1)
  const hits = useMemo(() => {
    if (!transcript || needle.trim() === '') return []
    if (!timed) return hitsIn(transcript.text, needle).map((_, inCue) => ({ cue: -1, inCue }))
    return transcript.cues.flatMap(({ text }, cue) => hitsIn(text, needle).map((_, inCue) => ({ cue, inCue })))
  }, [transcript, timed, needle])
  const at = Math.min(walkedTo, hits.length - 1)
  const found: FindResult = { needle, count: hits.length, at, cue: -1, inCue: -1, ...hits[at] }
  const walk = (by: 1 | -1): void => {
    if (hits.length > 0)
      setWalkedTo(at === -1 ? (by === 1 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length)
  }
  const look = (text: string): void => {
    setNeedle(text)
    setWalkedTo(text.trim() === '' ? -1 : 0)
  }
  return { found, look, walk }
}

export function FindBar(props: {
  found: FindResult
  onLook: (needle: string) => void
  onWalk: (by: 1 | -1) => void
  field: RefObject<HTMLInputElement | null>
}) {
  const { t } = useTranslation('transcribe')
  const { found, onLook, onWalk, field } = props
  const some = found.count > 0
  const byKey = (event: KeyboardEvent): void => {
    if (isComposing(event)) return
    if (event.key === 'Enter') onWalk(event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape' && found.needle !== '') onLook('')
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  // With lines, the list scrolls to the match. In a plain text, this effect scrolls to its element.
  useEffect(() => {
    if (found.cue === -1 && found.at >= 0) {
      document.querySelector('.transcribe-hit[data-current="true"]')?.scrollIntoView({ block: 'center' })
    }
  }, [found.cue, found.at])
  return (
    <search className="transcribe-find">
      <Search aria-hidden size={14} />
      <input
        dir="auto"
        ref={field}
        type="text"
        aria-label={t('find')}
        placeholder={t('find')}
        autoComplete="off"
        spellCheck={false}
        maxLength={500}
        value={found.needle}
        onChange={(event) => onLook(event.target.value)}
        onKeyDown={byKey}
      />
      {found.needle.trim() !== '' && (
        <>
          <span role="status" className="num whitespace-nowrap text-faint text-s">
            {some ? t('findCount', { at: showCount(found.at + 1), all: found.count }) : t('findNone')}
          </span>
          <IconButton
            icon={ChevronUp}
            size="small"
            label={t('findPrevious')}
            disabled={!some}
            onClick={() => onWalk(-1)}
          />
          <IconButton
            icon={ChevronDown}
            size="small"
            label={t('findNext')}
            disabled={!some}
            onClick={() => onWalk(1)}
          />
        </>
      )}
    </search>
  )
}
