import { useEffect, useRef } from 'react'
import { sectionsOf as writtenIn, writtenText } from '../../../shared/markdown/undrawn.ts'
import { useFind } from '../../../stores/chatFind.ts'
import { leaveMessageTop, scrollToMessage } from '../reveal.ts'
import { count, type Match } from './matches.ts'
import { liveRange, rangesIn } from './ranges.ts'

const all = 'chat-find'
const current = 'chat-find-current'
/** Maximum wait for a match to render, ms. A distant message renders a few frames after scrolling, a long message section by section. */
const patience = 2_000
/** Limit of marked matches. The browser draws each mark, so searching a long text for a single letter would be slow. */
const maxMatches = 5_000

/** Highlights the matches that are in the page, and scrolls to the current match on request. */
export function useMarks(pattern: RegExp | null, match: Match | null): void {
  const asked = useFind((state) => state.asked)
  const marks = useRef<Marks | null>(null)

  useEffect(() => {
    const talk = document.querySelector('.chat-talk')
    if (!talk || pattern === null) return
    const own = new Marks(talk, pattern)
    marks.current = own
    return () => {
      own.stop()
      marks.current = null
    }
  }, [pattern])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another pattern has other marks
  useEffect(() => {
    marks.current?.setCurrent(match)
  }, [pattern, match])

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at each request, also for the same match
  useEffect(() => {
    if (asked === 0 || !match || !marks.current) return
    return bringIntoSight(match, marks.current)
  }, [asked])
}

const textPart = '[data-part="text"], [data-result-of]'

/** The marks of a pattern in the page. A change of the page searches only the sections that changed. */
class Marks {
  readonly #talk: Element
  readonly #pattern: RegExp
  readonly #found = new Map<Element, readonly StaticRange[]>()
  readonly #shown = new Highlight()
  readonly #changes: MutationObserver
  #current: Match | null = null
  /** The matches in the text of a section as written. */
  readonly #written = new WeakMap<ReturnType<typeof writtenIn>[number], number>()
  #frame = 0

  constructor(talk: Element, pattern: RegExp) {
    this.#talk = talk
    this.#pattern = pattern
    CSS.highlights.set(all, this.#shown)
    this.#changes = new MutationObserver((changes) => {
      for (const { target } of changes) this.#forget(target)
      if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#mark())
    })
    this.#changes.observe(talk, { childList: true, subtree: true, characterData: true })
    this.#mark()
  }

  stop(): void {
    this.#changes.disconnect()
    cancelAnimationFrame(this.#frame)
    CSS.highlights.delete(all)
    CSS.highlights.delete(current)
  }

  setCurrent(match: Match | null): void {
    this.#current = match
    this.#markCurrent()
  }

  /**
   * The range of a match. Null when it is not in the page, `later` while a section before it is not drawn. In a part of a long message that
   * is not drawn, the element that shows this part.
   */
  rangeOf({ id, nth, isWritten }: Match): Range | HTMLElement | 'later' | null {
    const escaped = CSS.escape(id)
    // A tool's result is in its card, which is part of the reply that called the tool. JSON is formatted there.
    const result = this.#talk.querySelector(`[data-result-of="${escaped}"]`)
    if (result) {
      const ranges = sectionsOf(result).flatMap((section) => this.#rangesIn(section))
      const range = ranges[nth] ?? ranges.at(-1)
      return range ? liveRange(range) : null
    }
    let left = nth
    for (const part of this.#talk.querySelectorAll(`[data-message-id="${escaped}"] [data-part="text"]`)) {
      if (isWritten && part.querySelector('.md-section')) return this.#writtenRange(part, nth)
      for (const section of sectionsOf(part)) {
        if (section.classList.contains('md-undrawn')) return 'later'
        const ranges = this.#rangesIn(section)
        const range = ranges[left]
        if (range) return liveRange(range)
        left -= ranges.length
      }
    }
    return null
  }

  /** The range of a match in a message whose matches are counted as written. In its section, it is at the same place or the last. */
  #writtenRange(part: Element, nth: number): Range | HTMLElement | null {
    let left = nth
    for (const element of part.querySelectorAll<HTMLElement>('.md-earlier, .md-section')) {
      const found = this.#countWritten(element)
      if (left < found) {
        if (element.matches('.md-earlier, .md-undrawn')) return element
        const ranges = this.#rangesIn(element)
        const range = ranges[left] ?? ranges.at(-1)
        return range ? liveRange(range) : null
      }
      left -= found
    }
    return null
  }

  #countWritten(element: Element): number {
    let sum = 0
    for (const section of writtenIn(element)) {
      const found = this.#written.get(section) ?? count(writtenText(section), this.#pattern)
      this.#written.set(section, found)
      sum += found
    }
    return sum
  }

  #forget(target: Node): void {
    const element = target instanceof Element ? target : target.parentElement
    const section = element?.closest('.md-section') ?? element?.closest(textPart)
    if (section) this.#remove(section)
  }

  #remove(section: Element): void {
    for (const range of this.#found.get(section) ?? []) this.#shown.delete(range)
    this.#found.delete(section)
  }

  #rangesIn(section: Element): readonly StaticRange[] {
    const known = this.#found.get(section)
    if (known) return known
    const found = rangesIn(section, this.#pattern)
    this.#found.set(section, found)
    // One by one: a call can't have as many arguments as a long text has matches.
    for (const range of found) {
      if (this.#shown.size >= maxMatches) break
      this.#shown.add(range)
    }
    return found
  }

  #mark(): void {
    this.#frame = 0
    for (const section of this.#found.keys()) if (!section.isConnected) this.#remove(section)
    for (const part of this.#talk.querySelectorAll(`[data-message-id] :is(${textPart})`))
      for (const section of sectionsOf(part)) this.#rangesIn(section)
    this.#markCurrent()
  }

  #markCurrent(): void {
    const range = this.#current && this.rangeOf(this.#current)
    if (range instanceof Range) CSS.highlights.set(current, new Highlight(range))
    else CSS.highlights.delete(current)
  }
}

/** The parts of a text that change separately. No match spans two. */
function sectionsOf(part: Element): readonly Element[] {
  const sections = part.querySelectorAll('.md-section')
  return sections.length > 0 ? [...sections] : [part]
}

/** @returns the function that cancels */
function bringIntoSight(match: Match, marks: Marks): () => void {
  let until = performance.now() + patience
  let frame = 0
  const show = (): void => {
    const range = marks.rangeOf(match)
    const talk = document.querySelector('.chat-talk')
    if (range instanceof HTMLElement || range instanceof Range) leaveMessageTop()
    if (range instanceof HTMLButtonElement) range.click()
    // It is drawn when it is near the view.
    else if (range instanceof HTMLElement && talk)
      talk.scrollTop += range.getBoundingClientRect().top - talk.getBoundingClientRect().top
    if (range instanceof Range && talk && center(range, talk)) return
    // Drawing the text before the match takes as long as the text requires.
    if (range === 'later' || range instanceof HTMLElement) until = performance.now() + patience
    if (performance.now() < until) frame = requestAnimationFrame(show)
  }
  if (!isInSight(marks.rangeOf(match))) scrollToMessage(match.id)
  frame = requestAnimationFrame(show)
  return () => cancelAnimationFrame(frame)
}

function isInSight(range: ReturnType<Marks['rangeOf']>): boolean {
  const view = document.querySelector('.chat-talk')?.getBoundingClientRect()
  if (!(range instanceof Range) || !view) return false
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
