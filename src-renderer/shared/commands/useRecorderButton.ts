import { type RefObject, useEffect, useRef } from 'react'

/** The ref of a button that a shortcut recorder replaces. The button gets the focus back when recording ends. */
export function useRecorderButton(isRecording: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  const was = useRef(isRecording)
  useEffect(() => {
    if (was.current && !isRecording) button.current?.focus()
    was.current = isRecording
  }, [isRecording])
  return button
}
