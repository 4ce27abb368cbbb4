import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { patternOf } from '../../../stores/chatFind.ts'
import { liveRange, rangesIn } from './ranges.ts'

const all = 'text-find'
const current = 'text-find-current'
/** Limit of marked matches. The browser draws each mark, so searching a long text for a single letter would be slow. */
const maxMatches = 5_000

export interface FoundText {
  count: number
  /** From 0. -1: no match. */
  at: number
  step: (by: 1 | -1) => void
}

/** Marks the matches of `query` in an element, scrolls to the current one, and follows changes of the element's content. */
export function useTextSearch(box: RefObject<HTMLElement | null>, query: string): FoundText {
  const pattern = useMemo(() => patternOf({ text: query, words: null, matchCase: false }), [query])
  const [ranges, setRanges] = useState<readonly StaticRange[]>([])
  const [wanted, setWanted] = useState({ query, at: 0 })
  const shown = useRef('')
  // Another query starts at its first match.
  if (wanted.query !== query) setWanted({ query, at: 0 })
  const at = Math.min(wanted.at, ranges.length - 1)

  useEffect(() => {
    const element = box.current
    if (!element || pattern === null) {
      setRanges([])
      return
    }
    let frame = 0
    const look = (): void => {
      frame = 0
      const found = rangesIn(element, pattern, maxMatches)
      CSS.highlights.set(all, new Highlight(...found))
      setRanges(found)
    }
    look()
    // Searches again, because colouring replaces the text nodes of a line.
    const changes = new MutationObserver(() => {
      if (frame === 0) frame = requestAnimationFrame(look)
    })
    changes.observe(element, { childList: true, subtree: true, characterData: true })
    return () => {
      changes.disconnect()
      cancelAnimationFrame(frame)
      CSS.highlights.delete(all)
    }
  }, [box, pattern])

  useEffect(() => {
    const range = ranges[at]
    if (!range) return
    CSS.highlights.set(current, new Highlight(range))
    // Scrolls only to another match, not after new colours.
    const key = `${query} ${at}`
    if (shown.current !== key && box.current) bringIntoView(liveRange(range), box.current)
    shown.current = key
    return () => void CSS.highlights.delete(current)
  }, [box, ranges, at, query])

  const step = (by: 1 | -1): void => {
    if (ranges.length > 0) setWanted({ query, at: (at + by + ranges.length) % ranges.length })
  }
  return { count: ranges.length, at, step }
}

function bringIntoView(range: Range, box: HTMLElement): void {
  const [own, view] = [range.getBoundingClientRect(), box.getBoundingClientRect()]
  if (own.top < view.top || own.bottom > view.bottom) box.scrollTop += own.top - view.top - view.height / 3
  if (own.left < view.left || own.right > view.right) box.scrollLeft += own.left - view.left - view.width / 3
}
