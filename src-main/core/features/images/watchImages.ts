import type { ImagesChange } from '../../../../src-preload/contract/images.ts'
import { type Feed, type FeedSource, feed, type Listeners } from '../../shared/events.ts'
import type { Store } from '../../store/store.ts'

/** A changed item. Watchers read its new state themselves. */
export type ImagesNote = { what: 'drawing' | 'image'; id: string } | { what: 'erasing' }

const newestShown = 50

/** One watcher and its pending changes. Repeated changes of one item are combined. */
class Watcher implements FeedSource<ImagesChange> {
  readonly #images: Store['images']
  readonly #changes: Listeners<[ImagesNote]>
  readonly #drawings = new Set<string>()
  readonly #pictures = new Set<string>()
  #snapshotDue = true
  #totalDue = false

  constructor(images: Store['images'], changes: Listeners<[ImagesNote]>) {
    this.#images = images
    this.#changes = changes
  }

  subscribe(wake: () => void): () => void {
    return this.#changes.add((note) => {
      if (note.what === 'erasing') this.#snapshotDue = true
      else (note.what === 'drawing' ? this.#drawings : this.#pictures).add(note.id)
      if (note.what === 'image') this.#totalDue = true
      wake()
    })
  }

  take(): ImagesChange | null {
    if (this.#snapshotDue) {
      this.#snapshotDue = false
      this.#totalDue = false
      this.#drawings.clear()
      this.#pictures.clear()
      const drawings = [...this.#images.making().reverse(), ...this.#images.newest(newestShown)]
      return { type: 'snapshot', drawings, total: this.#images.total() }
    }
    return this.#takePicture() ?? this.#takeDrawing() ?? this.#takeTotal()
  }

  /** An image is emitted before the request whose slot refers to it. */
  #takePicture(): ImagesChange | null {
    const gone: string[] = []
    for (const id of this.#pictures) {
      const image = this.#images.image(id)
      if (image && gone.length > 0) break
      this.#pictures.delete(id)
      if (image) return { type: 'image', image }
      gone.push(id)
    }
    return gone.length > 0 ? { type: 'gone', imageIds: gone } : null
  }

  #takeTotal(): ImagesChange | null {
    if (!this.#totalDue) return null
    this.#totalDue = false
    return { type: 'total', total: this.#images.total() }
  }

  #takeDrawing(): ImagesChange | null {
    for (const id of this.#drawings) {
      this.#drawings.delete(id)
      const drawing = this.#images.drawing(id)
      if (drawing) return { type: 'drawing', drawing }
    }
    return null
  }
}

export const watchImages = (
  images: Store['images'],
  changes: Listeners<[ImagesNote]>,
  signal?: AbortSignal,
): Feed<ImagesChange> => feed(new Watcher(images, changes), signal)
