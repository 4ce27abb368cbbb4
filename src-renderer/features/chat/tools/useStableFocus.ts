import { type RefObject, useEffect, useRef } from 'react'

/**
 * When a new state removes the focused element, moves the focus to the card itself. Never to a button that appeared there, so that no key
 * press decides something unread.
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
    // Removing the focused element, and leaving the window, both have no new target.
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
