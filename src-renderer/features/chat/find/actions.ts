import { useChat } from '../../../stores/chat.ts'
import { patternOf, useFind } from '../../../stores/chatFind.ts'
import { jumpStore } from '../../../stores/jump.ts'
import { scrollToMessage } from '../reveal.ts'
import { matchesIn } from './matches.ts'

let cameFrom: Element | null = null

/** Shows the bar, with what is selected in the page to begin with. */
export function showFind(): void {
  const selected = getSelection()?.toString().trim() ?? ''
  const short = selected !== '' && !selected.includes('\n') && selected.length <= 200
  if (!useFind.getState().shown) cameFrom = document.activeElement
  useFind.setState(({ focused, text, asked }) => ({
    shown: true,
    focused: focused + 1,
    ...(short && selected !== text ? { text: selected, words: null, at: 0, asked: asked + 1 } : {}),
  }))
}

/** Puts the bar away; the focus goes back to where it was, the words stay for the next time. */
export function hideFind(): void {
  useFind.setState({ shown: false, words: null })
  if (cameFrom instanceof HTMLElement && cameFrom.isConnected) cameFrom.focus()
  cameFrom = null
}

/** To the next match or the one before; after the last comes the first. */
export function step(by: 1 | -1, count: number): void {
  if (count === 0) return
  useFind.setState(({ at, asked }) => ({ at: (Math.min(at, count - 1) + by + count) % count, asked: asked + 1 }))
}

/** Follows what the search over everything wants shown, as soon as the message has come. */
export function followJumps(): () => void {
  const look = (): void => {
    const { jump } = jumpStore.getState()
    const { open } = useChat.getState()
    if (!jump || open?.id !== jump.conversationId || open.state !== 'live') return
    if (!open.ids.includes(jump.messageId)) {
      // It may be among the earlier ones that are still to come; else it is on no branch that stands here.
      if (open.missing === 0) jumpStore.setState({ jump: null })
      return
    }
    jumpStore.setState({ jump: null })
    const { words } = jump
    const text = words.join(' ')
    const matches = matchesIn(open.messages, patternOf({ text, words, matchCase: false }))
    const at = matches.findIndex(({ id }) => id === jump.messageId)
    // A hit in what is folded or not on the screen has no match in the text: the message is shown all the same.
    if (at < 0) scrollToMessage(jump.messageId)
    else useFind.setState(({ asked }) => ({ shown: true, text, words, matchCase: false, at, asked: asked + 1 }))
  }
  // The list of messages is put into the page after the store has changed.
  const soon = (): void => void requestAnimationFrame(() => requestAnimationFrame(look))
  const stops = [
    jumpStore.subscribe(soon),
    useChat.subscribe((now, before) => {
      if (jumpStore.getState().jump && now.open !== before.open) soon()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
