import { commandOrigin } from '../../shared/ui/returnFocus.ts'
import { useChat } from '../../stores/chat.ts'
import { cardsOf } from '../../stores/openChat.ts'
import { scrollToMessage } from './reveal.ts'

/** Maximum distance, px, between the tops of the current message and of the view. */
const near = 24

/** Moves to the previous or next message, with the focus. */
export function jumpBy(step: 1 | -1): void {
  const { open } = useChat.getState()
  const talk = document.querySelector('.chat-talk')
  if (!open || !talk) return
  const top = talk.getBoundingClientRect().top
  const ids = cardsOf(open).heads
  const focused = commandOrigin()?.closest('article[data-message-id]')
  const at = focused && talk.contains(focused) ? placeOf(focused, ids) : atTop(talk, top, ids)
  const partly = focused === null && at !== null && at.above
  const wanted = at === null ? ids.length - 1 : at.index + (step === -1 && partly ? 0 : step)
  const id = ids[Math.max(0, Math.min(ids.length - 1, wanted))]
  if (id === undefined || !scrollToMessage(id)) return
  focusWhenDrawn(id)
}

interface Place {
  index: number
  /** Whether the message's top is above the view. */
  above: boolean
}

function placeOf(element: Element, ids: readonly string[]): Place | null {
  const index = ids.indexOf(element.getAttribute('data-message-id') ?? '')
  return index < 0 ? null : { index, above: false }
}

function atTop(talk: Element, top: number, ids: readonly string[]): Place | null {
  for (const element of talk.querySelectorAll('article[data-message-id]')) {
    const box = element.getBoundingClientRect()
    if (box.bottom <= top + near) continue
    const place = placeOf(element, ids)
    if (place) return { index: place.index, above: box.top < top - near }
  }
  return null
}

function focusWhenDrawn(id: string, tries = 30): void {
  requestAnimationFrame(() => {
    const article = document.querySelector<HTMLElement>(`.chat-talk [data-message-id="${CSS.escape(id)}"]`)
    if (!article) {
      if (tries > 0) focusWhenDrawn(id, tries - 1)
      return
    }
    article.tabIndex = -1
    article.focus({ preventScroll: true })
  })
}
