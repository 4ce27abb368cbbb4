import { type RefObject, useEffect, useRef } from 'react'

/**
 * When a new state removes the focused element, moves the focus to the card itself. Never focuses a new button, so that a key press cannot
 * answer an unread question.
 */
export function useStableFocus(state: string): RefObject<HTMLDivElement | null> {
  const card = useRef<HTMLDivElement>(null)
  const inside = useRef(false)
  useEffect(() => {
    const element = card.current
    if (!element) return
    const gained = () => {
      inside.current = true
    }
    // The event has no new target in two cases: the focused element was removed, or the person left the window.
    const left = (event: FocusEvent) => {
      if (event.relatedTarget instanceof Node && !element.contains(event.relatedTarget)) inside.current = false
    }
    element.addEventListener('focusin', gained)
    element.addEventListener('focusout', left)
    return () => {
      element.removeEventListener('focusin', gained)
      element.removeEventListener('focusout', left)
    }
  }, [])
  const before = useRef(state)
  useEffect(() => {
    if (before.current === state) return
    before.current = state
    const nowhere = document.activeElement === null || document.activeElement === document.body
    if (inside.current && nowhere) card.current?.focus({ preventScroll: true })
  }, [state])
  return card
}
