import type { Drawing, Image } from '../../../src-preload/contract/images.ts'
import { isMaking } from '../../stores/images.ts'
import type { Sized } from './masonry.ts'

/** The place of an image that has not arrived yet. */
export interface Placeholder extends Sized {
  key: string
  prompt: string
  /** Index of the first image that follows. The number of images, if none does. */
  before: number
}

/** The size of an image of a service that has sent none yet (specification, POST /v1/images/generations). */
const usual: Sized = { width: 1024, height: 1024 }

/**
 * Places for the missing images of all running drawings. Each has the size of the latest image, because the service uses the same size for all,
 * so that nothing moves when the images arrive.
 */
export function placeholdersOf(drawings: readonly Drawing[], images: readonly Image[]): Placeholder[] {
  const { width, height } = images[0] ?? usual
  return drawings.filter(isMaking).flatMap(({ id, prompt, createdAt, slots }) => {
    const found = images.findIndex((image) => image.drawingId === id || image.createdAt <= createdAt)
    const before = found === -1 ? images.length : found
    const missing = slots.filter(({ state }) => state === 'waiting' || state === 'fetching')
    return missing.map(({ index }) => ({ key: `${id} ${index}`, prompt, width, height, before }))
  })
}

/**
 * Groups of neighbours with the same prompt, as list indexes of the images followed by the placeholders. Placeholders are displayed before the
 * images that follow them.
 */
export function groupsOf(images: readonly Image[], waiting: readonly Placeholder[]): number[][] {
  const groups: number[][] = []
  let last: string | null = null
  const add = (at: number, prompt: string): void => {
    if (prompt === last) groups.at(-1)?.push(at)
    else groups.push([at])
    last = prompt
  }
  const places = waiting.map((one, at) => ({ ...one, at: images.length + at })).sort((a, b) => a.before - b.before)
  let next = 0
  for (let at = 0; at <= images.length; at++) {
    for (let place = places[next]; place?.before === at; place = places[++next]) add(place.at, place.prompt)
    const image = images[at]
    if (image) add(at, image.prompt)
  }
  return groups
}
