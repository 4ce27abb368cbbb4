import { type RefObject, useEffect, useState } from 'react'
import { readableText } from '../../../shared/markdown/copy.ts'
import { hasUndrawn, writeUndrawn } from '../../../shared/markdown/undrawn.ts'
import { useChat } from '../../../stores/chat.ts'
import { cardsOf, partsOf } from '../../../stores/openChat.ts'
import { wholeReply } from '../wholeReply.ts'

/** Upper limit of selected messages that stay mounted. Of a longer selection, only both ends stay, which preserves the selection. */
const maxKept = 200

/** The first and last message of the selection, as indexes into `ids`. */
interface Span {
  first: number
  last: number
}

/** Indexes of messages that must stay in the page, so that the selection survives scrolling. */
export function useSelected(box: RefObject<HTMLElement | null>, ids: readonly string[]): number[] {
  const [ends, setEnds] = useState<{ anchor: string; focus: string } | null>(null)
  useEffect(() => {
    const read = (): void => {
      const selection = getSelection()
      const anchor = messageOf(box.current, selection?.anchorNode ?? null)
      const focus = messageOf(box.current, selection?.focusNode ?? null)
      const some = selection !== null && !selection.isCollapsed && anchor !== null && focus !== null
      setEnds((before) => {
        if (!some) return null
        return before?.anchor === anchor && before.focus === focus ? before : { anchor, focus }
      })
    }
    document.addEventListener('selectionchange', read)
    return () => document.removeEventListener('selectionchange', read)
  }, [box])
  if (!ends) return none
  const span = spanOf(ids, ends.anchor, ends.focus)
  if (!span) return none
  const { first, last } = span
  return last - first > maxKept ? [first, last] : Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

const none: number[] = []

/** Copies the selection as readable text: messages in order, each under its author when there are several. */
export function useCopy(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = box.current
    if (!element) return
    const onCopy = (event: ClipboardEvent): void => {
      const selection = getSelection()
      if (!event.clipboardData || !selection || selection.isCollapsed || selection.rangeCount === 0) return
      // Inside of one code block the browser copies the exact text.
      const pre = elementOf(selection.anchorNode)?.closest('pre')
      if (pre && pre === elementOf(selection.focusNode)?.closest('pre')) return
      event.clipboardData.setData('text/plain', textOf(element, selection))
      event.preventDefault()
    }
    element.addEventListener('copy', onCopy)
    return () => element.removeEventListener('copy', onCopy)
  }, [box])
}

function textOf(box: HTMLElement, selection: Selection): string {
  const { open } = useChat.getState()
  const ids = cardsOf(open).heads
  const range = selection.getRangeAt(0)
  const [from, to] = [messageOf(box, range.startContainer), messageOf(box, range.endContainer)]
  const span = from && to ? spanOf(ids, from, to) : null
  if (!span || span.first === span.last) return readableText(copyOf(range, box))
  const texts: string[] = []
  for (const id of ids.slice(span.first, span.last + 1)) {
    const article = box.querySelector<HTMLElement>(`[data-message-id="${CSS.escape(id)}"]`)
    const message = wholeReply(partsOf(open, id))
    const isEnd = id === from || id === to
    // Messages that are not in the page, or only in part, are copied as written.
    const text =
      article && (isEnd || !hasUndrawn(article))
        ? readableText(copyOf(partOf(range, article), article))
        : (message?.text ?? '')
    const name = article?.getAttribute('aria-label') ?? message?.model ?? message?.role ?? ''
    if (text !== '') texts.push(`${name}:\n${text}`)
  }
  return texts.join('\n\n')
}

/** The part of an article that is in a range. */
function partOf(range: Range, article: HTMLElement): Range {
  const part = document.createRange()
  part.selectNodeContents(article)
  if (range.compareBoundaryPoints(Range.START_TO_START, part) > 0)
    part.setStart(range.startContainer, range.startOffset)
  if (range.compareBoundaryPoints(Range.END_TO_END, part) < 0) part.setEnd(range.endContainer, range.endOffset)
  return part
}

/** The content of a range without headers and footers of messages. Sections that are not drawn yet are as written. */
function copyOf(range: Range, within: Element): DocumentFragment {
  const part = range.cloneContents()
  writeUndrawn(part, range, within)
  for (const extra of part.querySelectorAll('header.chat-who, .chat-under, .chat-part-versions')) extra.remove()
  return part
}

function spanOf(ids: readonly string[], a: string, b: string): Span | null {
  const [one, other] = [ids.indexOf(a), ids.indexOf(b)]
  if (one < 0 || other < 0) return null
  return { first: Math.min(one, other), last: Math.max(one, other) }
}

function messageOf(box: HTMLElement | null, node: Node | null): string | null {
  const article = elementOf(node)?.closest<HTMLElement>('article[data-message-id]')
  return article && box?.contains(article) ? (article.dataset.messageId ?? null) : null
}

const elementOf = (node: Node | null): Element | null =>
  node instanceof Element ? node : (node?.parentElement ?? null)
