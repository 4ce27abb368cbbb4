import { type FocusEvent, type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { isMac } from '../ui/platform.ts'
import { keysOfPress } from './keys.ts'

interface KeyRecorderProps {
  /** Called with each pressed combination. */
  onKeys: (keys: string) => void
  onEnd: () => void
  /** Called instead of `onEnd` when the recorder loses the focus. */
  onBlur?: (event: FocusEvent<HTMLElement>) => void
  children: ReactNode
}

/** Waits for a key combination. Escape cancels, so it cannot become a shortcut here. Tab moves on. */
export function KeyRecorder({ onKeys, onEnd, onBlur = onEnd, children }: KeyRecorderProps) {
  const field = useRef<HTMLButtonElement>(null)
  useEffect(() => field.current?.focus(), [])
  const take = (event: KeyboardEvent): void => {
    if (event.key === 'Tab' && !event.ctrlKey && !event.metaKey && !event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    event.nativeEvent.stopImmediatePropagation()
    const keys = keysOfPress(event.nativeEvent, isMac)
    if (event.key === 'Escape') onEnd()
    else if (keys !== null) onKeys(keys)
  }
  return (
    <button ref={field} type="button" className="shortcut-keys shortcut-recording" onKeyDown={take} onBlur={onBlur}>
      {children}
    </button>
  )
}

/** The ref of a button that a `KeyRecorder` replaces. The button gets the focus back when recording ends. */
export function useRecorderButton(isRecording: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  const was = useRef(isRecording)
  useEffect(() => {
    if (was.current && !isRecording) button.current?.focus()
    was.current = isRecording
  }, [isRecording])
  return button
}
