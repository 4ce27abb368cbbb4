import { useEffect } from 'react'
import { useFind } from '../../../stores/chatFind.ts'
import { scrollToMessage } from '../reveal.ts'
import type { Match } from './matches.ts'
import { rangesIn } from './ranges.ts'

const all = 'chat-find'
const current = 'chat-find-current'
/** Maximum wait for a match to render, ms. A distant message renders a few frames after scrolling, a long message section by section. */
const patience = 2_000
/** Limit of marked matches. The browser draws each mark, so searching a long text for a single letter would be slow. */
const maxMatches = 5_000

/** Highlights the matches that are in the page, and scrolls to the current match on request. */
export function useMarks(pattern: RegExp | null, match: Match | null): void {
  const asked = useFind((state) => state.asked)

  useEffect(() => {
    const talk = document.querySelector('.chat-talk')
    if (!talk || pattern === null) return
    let frame = 0
    const mark = (): void => {
      frame = 0
      CSS.highlights.set(all, highlightOf(articlesOf(talk), pattern))
      const range = match && rangeOf(match, pattern)
      if (range) CSS.highlights.set(current, new Highlight(range))
      else CSS.highlights.delete(current)
    }
    const soon = (): void => {
      if (frame === 0) frame = requestAnimationFrame(mark)
    }
    mark()
    const changes = new MutationObserver(soon)
    changes.observe(talk, { childList: true, subtree: true, characterData: true })
    return () => {
      changes.disconnect()
      cancelAnimationFrame(frame)
      CSS.highlights.delete(all)
      CSS.highlights.delete(current)
    }
  }, [pattern, match])

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at each request, also for the same match
  useEffect(() => {
    if (asked === 0 || !match || pattern === null) return
    return bringIntoSight(match, pattern)
  }, [asked])
}

const articlesOf = (talk: Element): Element[] => [...talk.querySelectorAll('[data-message-id]')]

function highlightOf(articles: readonly Element[], pattern: RegExp): Highlight {
  const highlight = new Highlight()
  for (const article of articles) {
    for (const part of article.querySelectorAll('[data-part="text"], [data-result-of]')) {
      // One by one: a call can't have as many arguments as a long text has matches.
      for (const range of rangesIn(part, pattern, maxMatches - highlight.size)) highlight.add(range)
      if (highlight.size >= maxMatches) return highlight
    }
  }
  return highlight
}

function rangeOf({ id, nth }: Match, pattern: RegExp): Range | null {
  const escaped = CSS.escape(id)
  // A tool's result is in its card, which is part of the reply that called the tool. JSON is formatted there.
  const result = document.querySelector(`.chat-talk [data-result-of="${escaped}"]`)
  if (result) {
    const ranges = rangesIn(result, pattern)
    return ranges[nth] ?? ranges.at(-1) ?? null
  }
  const article = document.querySelector(`.chat-talk [data-message-id="${escaped}"]`)
  const texts = [...(article?.querySelectorAll('[data-part="text"]') ?? [])]
  return texts.flatMap((part) => rangesIn(part, pattern))[nth] ?? null
}

/** @returns the function that cancels */
function bringIntoSight(match: Match, pattern: RegExp): () => void {
  const until = performance.now() + patience
  let frame = 0
  const show = (): void => {
    const range = rangeOf(match, pattern)
    const talk = document.querySelector('.chat-talk')
    if (range && talk && center(range, talk)) return
    if (performance.now() < until) frame = requestAnimationFrame(show)
  }
  if (!isInSight(match, pattern)) scrollToMessage(match.id)
  frame = requestAnimationFrame(show)
  return () => cancelAnimationFrame(frame)
}

function isInSight(match: Match, pattern: RegExp): boolean {
  const range = rangeOf(match, pattern)
  const view = document.querySelector('.chat-talk')?.getBoundingClientRect()
  if (!range || !view) return false
  const { top, bottom, left, right, height } = range.getBoundingClientRect()
  return height > 0 && top >= view.top && bottom <= view.bottom && left >= view.left && right <= view.right
}

/** Scrolls towards the range. Returns true when the range is inside the view. */
function center(range: Range, talk: Element): boolean {
  const result = range.startContainer.parentElement?.closest('[data-result-of]')?.parentElement
  if (result) {
    const [own, box] = [range.getBoundingClientRect(), result.getBoundingClientRect()]
    if (own.top < box.top || own.bottom > box.bottom) result.scrollTop += own.top - box.top - box.height / 3
  }
  showColumn(range)
  const { top, bottom, height } = range.getBoundingClientRect()
  const view = talk.getBoundingClientRect()
  if (height === 0) return false
  if (top >= view.top + 24 && bottom <= view.bottom - 24) return true
  talk.scrollTop += top - view.top - view.height / 3
  return false
}

/** Scrolls side-by-side replies until the reply with the range is visible. */
function showColumn(range: Range): void {
  const column = range.startContainer.parentElement?.closest('.chat-column')
  const columns = column?.parentElement
  if (!column || !columns) return
  const [own, box] = [column.getBoundingClientRect(), columns.getBoundingClientRect()]
  if (own.left < box.left) columns.scrollLeft += own.left - box.left
  else if (own.right > box.right) columns.scrollLeft += own.right - box.right
}
