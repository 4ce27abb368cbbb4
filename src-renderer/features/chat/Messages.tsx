import { ArrowDown } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { useChat } from '../../stores/chat.ts'
import { useStage } from '../../stores/chatPage.ts'
import { cardsOf, headOf } from '../../stores/openChat.ts'
import { MessageView } from './MessageView.tsx'
import { spaceAbove, useFollowEnd } from './messages/follow.ts'
import { useCopy, useSelected } from './messages/select.ts'
import { useChatTranslate } from './messages.ts'
import { offerMessageList } from './reveal.ts'

/** The list of cards. Only cards near the view, selected cards and the edited one are in the page. */
export function Messages() {
  const t = useChatTranslate()
  const id = useChat((state) => state.open?.id ?? '')
  const ids = useChat(({ open }) => cardsOf(open).heads)
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const shift = usePrepended(ids)
  const rest = useRef<HTMLDivElement>(null)
  const { away, toEnd, goTo, leave, hold } = useFollowEnd(id, { box, list, rest }, ids)
  const kept = withLast(useEdited(ids, useSelected(box, ids)), ids.length)
  useCopy(box)
  useEffect(() => offerMessageList({ reveal: goTo, leave, hold }), [goTo, leave, hold])
  return (
    <div className="chat-talk-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <section className="chat-talk" ref={box} tabIndex={0} aria-label={t('conversation')}>
        <div className="chat-talk-pad" />
        <Virtualizer
          ref={list}
          scrollRef={box}
          startMargin={spaceAbove}
          data={ids}
          bufferSize={600}
          itemSize={240}
          shift={shift}
          keepMounted={kept}
        >
          {(one) => <MessageView key={one} id={one} />}
        </Virtualizer>
        <div className="chat-talk-rest" ref={rest} />
      </section>
      {away && (
        <button type="button" className="chat-jump" onClick={toEnd}>
          <ArrowDown aria-hidden /> {t('jump')}
        </button>
      )}
    </div>
  )
}

/** Messages at the end of the list that are always in the page. */
const lastKept = 2

/**
 * `kept` and the last messages. While one of them shrinks, the scroll position is for a moment beyond the size that the list knows, and the
 * list then removes all messages that are not kept. A long message would be laid out anew, shrink again, and so on without end.
 */
function withLast(kept: number[], count: number): number[] {
  const last = Array.from({ length: Math.min(lastKept, count) }, (_, at) => count - 1 - at)
  return [...new Set([...kept, ...last])]
}

/** `selected` and the edited message. The edited message stays mounted, so that its field keeps focus and caret out of view. */
function useEdited(ids: readonly string[], selected: number[]): number[] {
  const editing = useStage((state) => state.editing)
  const at = editing === null ? -1 : ids.indexOf(headOf(useChat.getState().open, editing))
  return at < 0 || selected.includes(at) ? selected : [...selected, at]
}

/**
 * Whether earlier messages were just prepended. The list then keeps its position from the end. The first card may have got its beginning,
 * so it is not compared.
 */
function usePrepended(ids: readonly string[]): boolean {
  const before = useRef(ids)
  const had = before.current
  useLayoutEffect(() => {
    before.current = ids
  }, [ids])
  const more = ids.length - had.length
  return more > 0 && had.length > 0 && ids[more + 1] === had[1] && ids.at(-1) === had.at(-1)
}
