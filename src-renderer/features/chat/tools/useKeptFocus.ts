import { type RefObject, useEffect, useRef } from 'react'

/**
 * Keeps the keyboard's place when what it stood on is taken away by a new state: the card itself gets the focus, never a button that came
 * there meanwhile, so that no key press decides what nobody read.
 */
export function useStableFocus(state: string): RefObject<HTMLDivElement | null> {
  const card = useRef<HTMLDivElement>(null)
  const inside = useRef(false)
  useEffect(() => {
    const element = card.current
    if (!element) return
    const came = () => {
      inside.current = true
    }
    // What is taken out of the page tells of no new place for the focus, and neither does a window that is left.
    const left = (event: FocusEvent) => {
      if (event.relatedTarget instanceof Node && !element.contains(event.relatedTarget)) inside.current = false
    }
    element.addEventListener('focusin', came)
    element.addEventListener('focusout', left)
    return () => {
      element.removeEventListener('focusin', came)
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
