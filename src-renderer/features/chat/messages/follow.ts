import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { VirtualizerHandle } from 'virtua'
import { useChat } from '../../../stores/chat.ts'
import { useStage } from '../../../stores/chatPage.ts'
import { headOf, messageIn } from '../../../stores/openChat.ts'
import type { Then } from '../reveal.ts'
import { placeIn, type ScrollPlace, saveScrollPlace } from './place.ts'

/** Maximum distance from the end at which the reader counts as being at the end, px. */
const nearEnd = 48
/** Time after a wheel, touch or key event in which a scroll counts as the reader's own, not as a change of layout, ms. */
const gestureLasts = 400
/** The same in frames, because frames of a busy page take longer. */
const gestureFrames = 24
/** Time from the last scroll until the position is saved, ms. */
const placePause = 250
/** Maximum wait for the message that takes the place of another, ms. */
const holdLasts = 3_000
/** Time without a change of size after which a place that was scrolled to is no longer held, ms. */
const settled = 150
/** px above the first message. Offsets of items exclude it, the scroll position includes it. */
export const spaceAbove = 16

type Box = RefObject<HTMLElement | null>

interface Parts {
  /** The element that scrolls. */
  box: Box
  list: RefObject<VirtualizerHandle | null>
  /** Blank space below the last message, so that a message can keep its place when little or nothing follows it. */
  rest: Box
}

interface Wanted extends ScrollPlace {
  /**
   * The message took the place of a sibling. `top`: its top is where that of the sibling was, if its switch, which is at its end, is then
   * in view. `end`: the top was out of view, so its end is where that of the sibling was, `offset` px below the top of the view.
   */
  keeps?: 'top' | 'end'
}

/**
 * Follows the end of the list while the reader is there. Elsewhere the view stays, and its position is restored when the chat opens again.
 * Sets the scroll position itself: `scrollToIndex` of the list repeats until sizes have been the same for a while, also against the reader.
 */
export function useFollowEnd(conversationId: string, { box, list, rest }: Parts, ids: readonly string[]) {
  const [start] = useState(() => placeIn(conversationId))
  const following = useRef(start === null)
  const [away, setAway] = useState(start !== null)
  /** The place to show as soon as its message is loaded, until sizes settle or the reader scrolls. */
  const wanted = useRef<Wanted | null>(start)
  /** Scroll position of the wanted place, px. -1 while its message is not loaded. */
  const wantedTop = useRef(-1)
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The message whose place is kept, until another message takes it. Meanwhile nothing scrolls. */
  const held = useRef<{ id: string; then: Then } | null>(null)
  /** Scroll position that stays possible, px, however little follows. 0: no position. */
  const floor = useRef(0)
  const last = ids.at(-1)
  const known = useRef(ids)
  known.current = ids

  const follow = useCallback((next: boolean): void => {
    following.current = next
    setAway(!next)
  }, [])

  /** Makes the blank space as high as `floor` requires. */
  const fitRest = useCallback(
    (most?: number): void => {
      const [element, blank] = [box.current, rest.current]
      if (!element || !blank || held.current) return
      if (most !== undefined) floor.current = Math.min(floor.current, most)
      if (floor.current === 0 && blank.offsetHeight === 0) return
      // Not from `scrollHeight`, which is never less than the height of the view.
      const used = blank.getBoundingClientRect().top - element.getBoundingClientRect().top + element.scrollTop
      const missing = floor.current + element.clientHeight - used
      blank.style.height = `${floor.current === 0 ? 0 : Math.max(0, missing)}px`
    },
    [box, rest],
  )

  /** Scrolls to the end while following, or to the wanted place. */
  const stick = useCallback((): void => {
    const { current: element } = box
    const { current: place } = wanted
    if (!element || held.current) return
    if (following.current) {
      if (floor.current > 0) fitRest()
      element.scrollTop = element.scrollHeight
    } else if (place && list.current) {
      const at = known.current.indexOf(entryOf(place.id))
      if (at < 0) return
      const scroll = positionOf(place, at, list.current, element.clientHeight)
      if (place.keeps) {
        floor.current = Math.max(0, scroll)
        fitRest()
      }
      element.scrollTop = scroll
      wantedTop.current = element.scrollTop
      clearTimeout(settling.current)
      settling.current = setTimeout(() => {
        if (wanted.current !== place) return
        wanted.current = null
        if (belowView(element) <= nearEnd) follow(true)
      }, settled)
    }
  }, [box, list, follow, fitRest])

  /** After the list has measured its messages: a floor that needs no blank space is over. */
  const onMeasured = useCallback((): void => {
    stick()
    if (rest.current?.offsetHeight === 0) floor.current = 0
  }, [stick, rest])

  const toEnd = useCallback((): void => {
    wanted.current = null
    fitRest(0)
    follow(true)
    stick()
  }, [follow, stick, fitRest])

  const idsBefore = useRef(ids)
  useLayoutEffect(() => {
    const { current: before } = idsBefore
    idsBefore.current = ids
    const [{ current: mine }, { current: element }, { current: handle }] = [held, box, list]
    if (!mine || !element || !handle || ids.includes(mine.id)) return
    held.current = null
    const at = before.indexOf(mine.id)
    const id = ids[at]
    if (id === undefined) {
      fitRest(0)
      return
    }
    // The list measures the new message later. Until then it knows the size of the message that stood there.
    const top = spaceAbove + handle.getItemOffset(at)
    const [under, scroll] = [element.scrollTop - top, element.scrollTop]
    if (mine.then === 'follow') {
      wanted.current = null
      floor.current = Math.min(scroll, top)
      fitRest()
    } else {
      wanted.current =
        under > 0
          ? { id, offset: top + handle.getItemSize(at) - scroll, keeps: 'end' }
          : { id, offset: under, keeps: 'top' }
    }
    follow(mine.then === 'follow')
    stick()
  }, [ids, box, list, fitRest, follow, stick])

  const lastBefore = useRef(last)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the last message changes
  useLayoutEffect(() => {
    // Scrolls to a message that the person has just sent, from any position.
    if (lastBefore.current !== last && saysPerson(known.current, lastBefore.current)) {
      wanted.current = null
      fitRest(0)
      follow(true)
    }
    lastBefore.current = last
    if (following.current) stick()
  }, [last, stick, fitRest])

  useLayoutEffect(() => {
    const { current: place } = wanted
    if (!place || place.keeps || !ids.includes(entryOf(place.id))) return
    follow(false)
    stick()
  }, [ids, follow, stick])

  useEffect(
    () => followScroll(box, rest, { following, wanted, wantedTop, follow, stick, onMeasured, fitRest }),
    [box, rest, follow, stick, onMeasured, fitRest],
  )

  // A layout effect, because its cleanup runs while the list still knows its position.
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const write = (): void => {
      timer = undefined
      const { current: handle } = list
      if (!handle) return
      const at = handle.findItemIndex(handle.scrollOffset)
      const id = known.current[at]
      const place =
        id === undefined
          ? null
          : { id, offset: Math.round(handle.scrollOffset - spaceAbove - handle.getItemOffset(at)) }
      const { current: goal } = wanted
      saveScrollPlace(conversationId, following.current ? null : goal && !goal.keeps ? goal : place)
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
      const id = entryOf(messageId)
      const at = known.current.indexOf(id)
      const isToCome = at < 0 && (useChat.getState().open?.missing ?? 0) > 0
      wanted.current = at >= 0 || isToCome ? { id, offset: 0 } : null
      wantedTop.current = -1
      if (at < 0) return false
      follow(false)
      stick()
      return true
    },
    [follow, stick],
  )

  const leave = useCallback((): void => {
    wanted.current = null
  }, [])

  const hold = useCallback(
    (messageId: string, then: Then): (() => void) => {
      const mine = { id: entryOf(messageId), then }
      held.current = mine
      // The rest of the chat may be gone before the list is drawn again. The browser would scroll to the new end.
      if (box.current && rest.current) rest.current.style.height = `${box.current.clientHeight}px`
      const release = (): void => {
        if (held.current !== mine) return
        held.current = null
        fitRest()
        stick()
      }
      setTimeout(release, holdLasts)
      return release
    },
    [box, rest, stick, fitRest],
  )

  return { away, toEnd, goTo, leave, hold }
}

/** The entry of the list that contains a message: the first message of its card. Of several side-by-side replies, the list contains one. */
function entryOf(id: string): string {
  const { open } = useChat.getState()
  return headOf(open, (open?.besideIds.includes(id) && open.ids.find((one) => open.besideIds.includes(one))) || id)
}

/** The scroll position at which the message at `at` is in its wanted place, px. */
function positionOf({ offset, keeps }: Wanted, at: number, list: VirtualizerHandle, viewHeight: number): number {
  const top = spaceAbove + list.getItemOffset(at)
  const end = top + list.getItemSize(at)
  if (keeps === 'end') return end - offset
  return keeps === 'top' ? Math.max(top + offset, end - viewHeight) : top + offset
}

/** Distance from the end of the view to the end of the list, px. */
const belowView = (box: Element): number => box.scrollHeight - box.scrollTop - box.clientHeight

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
  wantedTop: RefObject<number>
  follow: (next: boolean) => void
  stick: () => void
  onMeasured: () => void
  fitRest: (most: number) => void
}

/**
 * Distinguishes the reader's own scrolling from changes of layout, and calls `stick` after each change. Nothing
 * scrolls under a pressed pointer or while a message is edited.
 */
function followScroll(box: Box, rest: Box, parts: Following): (() => void) | undefined {
  const { following, wanted, wantedTop, follow, stick, onMeasured, fitRest } = parts
  const element = box.current
  if (!element) return
  let gesture = 0
  let framesLeft = 0
  let frame = 0
  let top = element.scrollTop
  /** A pointer is pressed on the list. A click needs its target under the pointer until the release. */
  let pressed = false
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
    // A click may have caused the scroll to the wanted place.
    if (own && Math.abs(top - wantedTop.current) > 1) {
      wanted.current = null
      if (up) fitRest(top)
    }
    if (up && own && belowView(element) > nearEnd) follow(false)
    else if (!up && !following.current && wanted.current === null && belowView(element) <= nearEnd) follow(true)
  }
  const isHeld = (): boolean => pressed || useStage.getState().editing !== null
  const stickUnlessHeld = (): void => {
    if (!isHeld()) stick()
  }
  const onPress = (): void => {
    pressed = true
  }
  const onRelease = (): void => {
    if (!pressed) return
    pressed = false
    // After the click, which may open an editor.
    setTimeout(stickUnlessHeld)
  }
  const sizes = new ResizeObserver(() => {
    if (!isHeld()) onMeasured()
  })
  sizes.observe(element)
  for (const child of element.children) if (child !== rest.current) sizes.observe(child)
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
    if (now.editing === null && before.editing !== null) stickUnlessHeld()
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
