import { callAll } from '../../../shared/callAll.ts'
import { commandOrigin } from '../../../shared/ui/returnFocus.ts'
import { useChat } from '../../../stores/chat.ts'
import { patternOf, useFind } from '../../../stores/chatFind.ts'
import { jumpStore } from '../../../stores/jump.ts'
import { shownMessages } from '../../../stores/openChat.ts'
import { focusComposer } from '../focus.ts'
import { scrollToMessage } from '../reveal.ts'
import { matchesIn } from './matches.ts'

let cameFrom: Element | null = null

/** Opens the bar, with the current selection as the search text. */
export function showFind(): void {
  const selected = getSelection()?.toString().trim() ?? ''
  const short = selected !== '' && !selected.includes('\n') && selected.length <= 200
  if (!useFind.getState().shown) cameFrom = commandOrigin()
  useFind.setState(({ focused, text, asked }) => ({
    shown: true,
    focused: focused + 1,
    ...(short && selected !== text ? { text: selected, words: null, at: 0, asked: asked + 1 } : {}),
  }))
}

/** Closes the bar and restores the focus. The search text stays for the next time. */
export function hideFind(): void {
  endFind()
  if (cameFrom instanceof HTMLElement && cameFrom.isConnected && cameFrom !== document.body) {
    cameFrom.focus({ preventScroll: true })
  } else focusComposer()
  cameFrom = null
}

/** Closes the bar of a page that is left. */
export const endFind = (): void => useFind.setState({ shown: false, words: null })

/** Moves to the next or previous match, wrapping at the ends. */
export function step(by: 1 | -1, count: number): void {
  if (count === 0) return
  useFind.setState(({ at, asked }) => ({ at: (Math.min(at, count - 1) + by + count) % count, asked: asked + 1 }))
}

/** Scrolls to the result of a global search, once its message is loaded. */
export function followJumps(): () => void {
  const look = (): void => {
    const { jump } = jumpStore.getState()
    const { open } = useChat.getState()
    if (!jump || open?.id !== jump.conversationId || open.state !== 'live') return
    if (!open.ids.includes(jump.messageId) && !open.besideIds.includes(jump.messageId)) {
      // The message may not be loaded yet. When all messages are loaded, the path does not contain it.
      if (open.missing === 0) jumpStore.setState({ jump: null })
      return
    }
    jumpStore.setState({ jump: null })
    const { words } = jump
    const text = words.join(' ')
    const matches = matchesIn(shownMessages(open), patternOf({ text, words, matchCase: false }))
    const at = matches.firstOf(jump.messageId)
    // A match in a collapsed part is not in the visible text. Scrolls to the message instead.
    if (at < 0) scrollToMessage(jump.messageId)
    else
      useFind.setState(({ asked }) => ({
        shown: true,
        text,
        words,
        matchCase: false,
        at,
        focused: 0,
        asked: asked + 1,
      }))
  }
  // The list renders the messages after the store has changed.
  const soon = (): void => void requestAnimationFrame(() => requestAnimationFrame(look))
  const stops = [
    jumpStore.subscribe(soon),
    useChat.subscribe((now, before) => {
      if (jumpStore.getState().jump && now.open !== before.open) soon()
    }),
  ]
  return () => callAll(stops)
}
