import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { VirtualizerHandle } from 'virtua'
import { useChat } from '../../../stores/chat.ts'
import { useStage } from '../../../stores/chatPage.ts'
import { messageIn } from '../../../stores/openChat.ts'
import { placeIn, saveScrollPlace } from './place.ts'

/** Maximum distance from the end at which the reader counts as being at the end, px. */
const nearEnd = 48
/** Time after a wheel, touch or key event in which a scroll counts as the reader's own, not as a change of layout, ms. */
const gestureLasts = 400
/** The same in frames, because frames of a busy page take longer. */
const gestureFrames = 24
/** Time from the last scroll until the position is saved, ms. */
const placePause = 250
/** px above the first message. Offsets of items exclude it, the scroll position includes it. */
export const spaceAbove = 16

type Box = RefObject<HTMLElement | null>
type List = RefObject<VirtualizerHandle | null>

/**
 * Follows the end of the list while the reader is there. Elsewhere the view stays, and its position is restored when the chat opens again.
 */
export function useFollowEnd(conversationId: string, box: Box, list: List, ids: readonly string[]) {
  const [start] = useState(() => placeIn(conversationId))
  const following = useRef(start === null)
  const [away, setAway] = useState(start !== null)
  /** The message to scroll to once it is loaded. */
  const wanted = useRef(start)
  const count = ids.length
  const last = ids.at(-1)
  const known = useRef(ids)
  known.current = ids

  const follow = useCallback((next: boolean): void => {
    following.current = next
    setAway(!next)
  }, [])

  const toEnd = useCallback((): void => {
    wanted.current = null
    follow(true)
    list.current?.scrollToIndex(known.current.length - 1, { align: 'end' })
  }, [follow, list])

  const lastBefore = useRef(last)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the last message changes
  useLayoutEffect(() => {
    // Scrolls to a message that the person has just sent, from any position.
    if (lastBefore.current !== last && saysPerson(known.current, lastBefore.current)) follow(true)
    lastBefore.current = last
    if (following.current && count > 0) list.current?.scrollToIndex(count - 1, { align: 'end' })
  }, [last, list])

  useLayoutEffect(() => {
    const place = wanted.current
    if (!place) return
    const at = ids.indexOf(place.id)
    if (at < 0) return
    wanted.current = null
    follow(false)
    list.current?.scrollToIndex(at, { align: 'start', offset: place.offset })
  }, [ids, list, follow])

  useEffect(() => followScroll(box, { following, wanted, follow }), [box, follow])

  // A layout effect, because its cleanup runs while the list still knows its position.
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const write = (): void => {
      timer = undefined
      const { current: handle } = list
      if (!handle || wanted.current) return
      const at = handle.findItemIndex(handle.scrollOffset)
      const id = known.current[at]
      const place =
        id === undefined
          ? null
          : { id, offset: Math.round(handle.scrollOffset - spaceAbove - handle.getItemOffset(at)) }
      saveScrollPlace(conversationId, following.current ? null : place)
    }
    const soon = (): void => {
      clearTimeout(timer)
      timer = setTimeout(write, placePause)
    }
    element.addEventListener('scroll', soon, { passive: true })
    addEventListener('pagehide', write)
    return () => {
      // The person left right after scrolling.
      const isPending = timer !== undefined
      clearTimeout(timer)
      if (isPending) write()
      element.removeEventListener('scroll', soon)
      removeEventListener('pagehide', write)
    }
  }, [conversationId, box, list])

  /** False when the message is not in the chat. A message that is not loaded yet is scrolled to later. */
  const goTo = useCallback(
    (messageId: string): boolean => {
      const { open } = useChat.getState()
      // The list contains one of several side-by-side replies.
      const id = open?.besideIds.includes(messageId)
        ? (open.ids.find((one) => open.besideIds.includes(one)) ?? messageId)
        : messageId
      const at = known.current.indexOf(id)
      const toCome = at < 0 && (open?.missing ?? 0) > 0
      wanted.current = toCome ? { id, offset: 0 } : null
      if (at < 0) return false
      follow(false)
      list.current?.scrollToIndex(at, { align: 'start' })
      return true
    },
    [list, follow],
  )

  return { away, toEnd, goTo }
}

/** Whether the messages after `before` include one of the person. */
function saysPerson(ids: readonly string[], before: string | undefined): boolean {
  const from = before === undefined ? -1 : ids.lastIndexOf(before)
  if (from < 0) return false
  const { open } = useChat.getState()
  // In any role: a message without a model that is no tool result is the person's.
  return ids.slice(from + 1).some((id) => {
    const message = messageIn(open, id)
    return message?.model === null && message.role !== 'tool'
  })
}

interface Following {
  following: RefObject<boolean>
  wanted: RefObject<unknown>
  follow: (next: boolean) => void
}

/**
 * Distinguishes the reader's own scrolling from changes of layout, and scrolls to the end after each change while following. Nothing
 * scrolls under a pressed pointer or while a message is edited.
 */
function followScroll(box: Box, { following, wanted, follow }: Following): (() => void) | undefined {
  const element = box.current
  if (!element) return
  let gesture = 0
  let framesLeft = 0
  let frame = 0
  let top = element.scrollTop
  /** A pointer is pressed on the list. A click needs its target under the pointer until the release. */
  let pressed = false
  const gap = (): number => element.scrollHeight - element.scrollTop - element.clientHeight
  const countFrame = (): void => {
    framesLeft -= 1
    frame = framesLeft > 0 ? requestAnimationFrame(countFrame) : 0
  }
  const onGesture = (): void => {
    gesture = performance.now()
    framesLeft = gestureFrames
    if (frame === 0) frame = requestAnimationFrame(countFrame)
  }
  const onScroll = (): void => {
    const up = element.scrollTop < top - 1
    const own = framesLeft > 0 || performance.now() - gesture < gestureLasts
    top = element.scrollTop
    if (own) wanted.current = null
    if (up && own && gap() > nearEnd) follow(false)
    else if (!up && !following.current && wanted.current === null && gap() <= nearEnd) follow(true)
  }
  const stick = (): void => {
    if (following.current && !pressed && useStage.getState().editing === null) element.scrollTop = element.scrollHeight
  }
  const onPress = (): void => {
    pressed = true
  }
  const onRelease = (): void => {
    if (!pressed) return
    pressed = false
    // After the click, which may open an editor.
    setTimeout(stick)
  }
  const sizes = new ResizeObserver(stick)
  sizes.observe(element)
  for (const child of element.children) sizes.observe(child)
  const gestures = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const
  for (const name of gestures) element.addEventListener(name, onGesture, { passive: true })
  // A drag of the scroll bar continues after its pointerdown.
  const onDrag = (event: PointerEvent): void => {
    if (event.buttons > 0) onGesture()
  }
  addEventListener('pointermove', onDrag, { passive: true })
  element.addEventListener('pointerdown', onPress, { passive: true })
  const releases = ['pointerup', 'pointercancel', 'dragend', 'blur'] as const
  for (const name of releases) addEventListener(name, onRelease)
  const stopStage = useStage.subscribe((now, before) => {
    if (now.editing === null && before.editing !== null) stick()
  })
  element.addEventListener('scroll', onScroll, { passive: true })
  return () => {
    sizes.disconnect()
    cancelAnimationFrame(frame)
    for (const name of gestures) element.removeEventListener(name, onGesture)
    removeEventListener('pointermove', onDrag)
    element.removeEventListener('pointerdown', onPress)
    for (const name of releases) removeEventListener(name, onRelease)
    stopStage()
    element.removeEventListener('scroll', onScroll)
  }
}
