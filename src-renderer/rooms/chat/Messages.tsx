import { ArrowDown } from 'lucide-react'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { useChat } from '../../stores/chat.ts'
import { MessageView } from './MessageView.tsx'
import { offerReveal } from './reveal.ts'
import { useWords } from './words.ts'

/** Nearer to the end than this, in px, the reader counts as being at it. */
const nearEnd = 48
/** A scroll this soon after a wheel, touch or key, in ms, is the reader's own and not a change of layout. */
const gestureLasts = 400

/** The messages, only those near the view in the page; the view follows the end while the reader is there. */
export function Messages() {
  const words = useWords()
  const ids = useChat((state) => state.open?.ids ?? [])
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const { away, toEnd, release } = useFollowEnd(box, list, ids)
  useEffect(
    () =>
      offerReveal((id) => {
        const at = ids.indexOf(id)
        if (at < 0) return false
        release()
        list.current?.scrollToIndex(at, { align: 'start' })
        return true
      }),
    [ids, release],
  )
  return (
    <div className="chat-talk-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <section className="chat-talk" ref={box} tabIndex={0} aria-label={words('conversation')}>
        <div className="chat-talk-pad" />
        <Virtualizer ref={list} scrollRef={box} startMargin={16} data={ids} bufferSize={600}>
          {(id) => <MessageView key={id} id={id} />}
        </Virtualizer>
      </section>
      {away && (
        <button type="button" className="chat-jump" onClick={toEnd}>
          <ArrowDown aria-hidden /> {words('jump')}
        </button>
      )}
    </div>
  )
}

function useFollowEnd(
  box: React.RefObject<HTMLDivElement | null>,
  list: React.RefObject<VirtualizerHandle | null>,
  ids: readonly string[],
): { away: boolean; toEnd: () => void; release: () => void } {
  const following = useRef(true)
  const [away, setAway] = useState(false)
  const count = ids.length
  const last = ids.at(-1)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new last message is what moves the end
  useLayoutEffect(() => {
    if (following.current && count > 0) list.current?.scrollToIndex(count - 1, { align: 'end' })
  }, [last, list])

  useEffect(() => {
    const element = box.current
    if (!element) return
    let gesture = 0
    let top = element.scrollTop
    const follow = (next: boolean): void => {
      following.current = next
      setAway(!next)
    }
    const gap = (): number => element.scrollHeight - element.scrollTop - element.clientHeight
    const onGesture = (): void => {
      gesture = performance.now()
    }
    const onScroll = (): void => {
      const up = element.scrollTop < top - 1
      top = element.scrollTop
      if (up && performance.now() - gesture < gestureLasts && gap() > nearEnd) follow(false)
      else if (gap() <= nearEnd && !following.current && !up) follow(true)
    }
    const stick = (): void => {
      if (following.current) element.scrollTop = element.scrollHeight
    }
    const sizes = new ResizeObserver(stick)
    sizes.observe(element)
    for (const child of element.children) sizes.observe(child)
    const gestures = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const
    for (const name of gestures) element.addEventListener(name, onGesture, { passive: true })
    // A drag of the scroll bar goes on after its pointerdown.
    const onDrag = (event: PointerEvent): void => {
      if (event.buttons > 0) onGesture()
    }
    addEventListener('pointermove', onDrag, { passive: true })
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      sizes.disconnect()
      for (const name of gestures) element.removeEventListener(name, onGesture)
      removeEventListener('pointermove', onDrag)
      element.removeEventListener('scroll', onScroll)
    }
  }, [box])

  const toEnd = (): void => {
    following.current = true
    setAway(false)
    list.current?.scrollToIndex(count - 1, { align: 'end' })
  }
  const release = useCallback((): void => {
    following.current = false
    setAway(true)
  }, [])
  return { away, toEnd, release }
}
