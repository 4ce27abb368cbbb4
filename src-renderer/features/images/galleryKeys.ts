import type { KeyboardEvent } from 'react'
import type { Image } from '../../../src-preload/contract/images.ts'
import { imagesStore, targets, withCursor, withRange, withToggled } from '../../stores/images.ts'
import { openLightbox, remove, toggleFavourite } from './actions.ts'
import { type Direction, type Masonry, stepFrom } from './masonry.ts'

const directions: Record<string, Direction> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
}

/**
 * Handles a key press: arrow keys, Page, Home and End move, with Shift they select, Space toggles, Ctrl+A selects all, Enter opens, F marks
 * a favourite, Delete deletes, Escape clears the selection. True when the key was handled.
 */
export function galleryKey(event: KeyboardEvent, masonry: Masonry, viewHeight: number): boolean {
  const { images, cursor } = imagesStore.getState()
  if (event.altKey || images.length === 0) return false
  const at = Math.max(
    0,
    images.findIndex(({ id }) => id === cursor),
  )
  const goal = goalOf(event, masonry, at, viewHeight)
  if (goal === null) return actOn(event, images[at])
  return walkTo(event, images[goal])
}

function walkTo(event: KeyboardEvent, goal: Image | undefined): boolean {
  if (!goal) return false
  const state = imagesStore.getState()
  const mod = event.ctrlKey || event.metaKey
  if (event.shiftKey) imagesStore.setState(withRange(state, goal.id, mod))
  else if (mod) imagesStore.setState({ cursor: goal.id })
  else imagesStore.setState(withCursor(goal.id))
  return true
}

function actOn(event: KeyboardEvent, here: Image | undefined): boolean {
  const state = imagesStore.getState()
  const mod = event.ctrlKey || event.metaKey
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  if (mod && key === 'a') imagesStore.setState({ picked: new Set(state.images.map(({ id }) => id)) })
  else if (key === ' ' && here) {
    imagesStore.setState(event.shiftKey ? withRange(state, here.id, true) : withToggled(state, here.id))
  } else if (mod) return false
  else if (key === 'Enter' && here) openLightbox(here.id)
  else if (key === 'Escape' && state.picked.size > 0) imagesStore.setState({ picked: new Set() })
  else if (key === 'f') void toggleFavourite(targets(state))
  else if (key === 'Delete' || key === 'Backspace') void remove(targets(state))
  else return false
  return true
}

/** The index that a key moves to, or null. Left and right follow the text direction. */
function goalOf(event: KeyboardEvent, masonry: Masonry, at: number, viewHeight: number): number | null {
  const { key } = event
  const back = document.documentElement.dir === 'rtl'
  const direction =
    key === 'ArrowLeft' ? (back ? 'right' : 'left') : key === 'ArrowRight' ? (back ? 'left' : 'right') : directions[key]
  if (direction) return stepFrom(masonry, at, direction)
  if (key === 'Home') return 0
  if (key === 'End') return imagesStore.getState().images.length - 1
  if (key !== 'PageUp' && key !== 'PageDown') return null
  return stepByHeight(masonry, at, key === 'PageUp' ? 'up' : 'down', viewHeight)
}

/** Moves in its column by up to one page, at least by one image. */
function stepByHeight(masonry: Masonry, at: number, direction: 'up' | 'down', height: number): number {
  let now = stepFrom(masonry, at, direction)
  for (;;) {
    const next = stepFrom(masonry, now, direction)
    const far = Math.abs((masonry.top[next] ?? 0) - (masonry.top[at] ?? 0))
    if (next === now || far > height * 0.9) return now
    now = next
  }
}
