import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { Drawing, ImageSlot } from '../../../../src-preload/contract/images.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { MediaItem } from '../../store/media.ts'
import { untilWritten } from '../../store/pendingWrites.ts'
import type { ReplyImage } from '../../upstream/reply/imageReply.ts'
import type { CallOptions, CreateImageRequest } from '../../upstream/types.ts'
import type { ImagesParts, ImagesUpstream } from './dependencies.ts'
import { damageOf, type ImageDamage, readBounded } from './readImages.ts'
import type { ImagesNote } from './watchImages.ts'

/** Longer URLs are truncated for display. */
const longestAddress = 2000
/** Entries of a reply that are read. The service returns at most four (specification, Limits). */
const mostSlots = 16

export interface RunParts extends ImagesParts {
  notify(note: ImagesNote): void
}

/** One running request for images. Writes each step to the database before watchers are notified. */
export class ImageRun {
  readonly id: string
  readonly #parts: RunParts
  readonly #abort = new AbortController()
  readonly #startedAt = performance.now()
  #now: Drawing
  #ended = false

  constructor(drawing: Drawing, parts: RunParts) {
    this.id = drawing.id
    this.#now = drawing
    this.#parts = parts
  }

  /** Sends the request and stores its images. Never throws. Resolves when no work is left. */
  async drive(upstream: ImagesUpstream): Promise<void> {
    try {
      await this.#draw(upstream)
      this.#end(...this.#outcome())
    } catch (thrown) {
      const failure = asStudioError(thrown)
      if (failure.kind === 'bug') this.#parts.log(`An image request failed: ${failure.message}`)
      if (failure.kind === 'cancelled') this.#end('cancelled', null)
      else this.#end('failed', failure.toProblem())
    }
  }

  /** Ends the run at once, then closes its requests. Images that have arrived stay. */
  stop(state: 'cancelled' | 'cut', problem: Problem | null = null): void {
    this.#end(state, problem)
    this.#abort.abort()
  }

  async #draw(upstream: ImagesUpstream): Promise<void> {
    const closed = Promise.withResolvers<void>()
    const accounted: Promise<void>[] = []
    const onRow = (id: number): void => {
      this.#asked(id)
      accounted.push(closed.promise.then(() => this.#account(id)))
    }
    try {
      const options = { ...this.#options(), onRow, onClosed: closed.resolve }
      const { value: arrived } = await upstream.createImage(requestOf(this.#now), options)
      const { slots } = this.#now
      const further = Array.from({ length: Math.min(arrived.length, mostSlots) }, (_, index) => emptySlot(index))
      // More images than requested are paid for as well.
      if (further.length > slots.length) this.#change({ slots: [...slots, ...further.slice(slots.length)] })
      await Promise.all(this.#now.slots.map(({ index }) => this.#readImage(upstream, index, arrived[index])))
    } finally {
      await Promise.all(accounted)
    }
  }

  #options(): CallOptions {
    return { feature: 'images', signal: this.#abort.signal }
  }

  /** Stores one image. A failure affects only its own slot. */
  async #readImage(upstream: ImagesUpstream, index: number, arrived: ReplyImage | undefined): Promise<void> {
    const address = arrived?.url ? upstream.redact(arrived.url).slice(0, longestAddress) : null
    try {
      if (!arrived) throw new StudioError('malformed_reply', 'The service returned fewer images than requested.')
      await this.#saveImage(upstream, index, arrived, address)
    } catch (thrown) {
      const failure = asStudioError(thrown)
      if (failure.kind === 'bug') this.#parts.log(`An image could not be stored: ${failure.message}`)
      if (this.#ended) return
      const refused = failure.kind === 'foreign_address' || failure.kind === 'malformed_reply'
      this.#slot(index, { state: refused ? 'refused' : 'failed', imageId: null, problem: failure.toProblem(), address })
    }
  }

  async #saveImage(
    upstream: ImagesUpstream,
    index: number,
    arrived: ReplyImage,
    address: string | null,
  ): Promise<void> {
    const { content, url } = arrived
    const damage = content && (await damageOf(content))
    if (content && !damage) return this.#storeImage(index, content.bytes)
    try {
      if (url) return await this.#fetchImage(upstream, index, url, address)
    } catch (thrown) {
      // The bytes of the reply say more than a URL that leads nowhere.
      if (!content || !damage) throw thrown
    }
    if (!content || !damage) {
      throw new StudioError('malformed_reply', 'The service returned neither an image nor its URL.')
    }
    await this.#storeDamaged(index, content.bytes, damage, address)
  }

  async #fetchImage(upstream: ImagesUpstream, index: number, url: string, address: string | null): Promise<void> {
    this.#slot(index, { state: 'fetching', address })
    const onRow = (id: number): void => this.#asked(id)
    const reply = await upstream.fetchFile(url, { ...this.#options(), onRow })
    const bytes = await readBounded(reply.bytes)
    const damage = await damageOf({ bytes, isText: false })
    if (damage) await this.#storeDamaged(index, bytes, damage, address)
    else await this.#storeImage(index, bytes)
  }

  async #storeImage(index: number, bytes: readonly Uint8Array[]): Promise<void> {
    const add = (then: (item: MediaItem) => void) => this.#parts.media.addPicture({ bytes }, { name: null }, then)
    const kept = (imageId: string) => ({ state: 'kept' as const, imageId, problem: null, address: null })
    const imageId = await this.#store(index, add, kept)
    this.#parts.notify({ what: 'image', id: imageId })
  }

  /** Keeps bytes that may have been charged, although no one can see an image in them. */
  async #storeDamaged(
    index: number,
    bytes: readonly Uint8Array[],
    { problem, fileName }: ImageDamage,
    address: string | null,
  ): Promise<void> {
    const add = (then: (item: MediaItem) => void) => this.#parts.media.addDocument({ bytes }, { name: fileName }, then)
    const named = (fileId: string) =>
      ({ state: 'refused', imageId: null, fileId, problem: problem.toProblem(), address }) as const
    await this.#store(index, add, named)
  }

  /** Stores file, image row and slot together, or none of them. Returns the id of the row. */
  async #store(
    index: number,
    add: (then: (item: MediaItem) => void) => Promise<MediaItem>,
    slotOf: (id: string) => Partial<ImageSlot>,
  ): Promise<string> {
    const id = randomUUID()
    const { images } = this.#parts.store
    const save = () =>
      add(({ id: mediaId }) => {
        images.insertImage({ id, drawingId: this.id, createdAt: new Date().toISOString(), slot: index, mediaId })
        const next = { ...this.#now, slots: this.#slotsWith(index, slotOf(id)) }
        images.step(this.id, next)
        this.#now = next
      })
    await untilWritten('An image', save, this.#abort.signal)
    this.#parts.notify({ what: 'drawing', id: this.id })
    return id
  }

  #asked(row: number): void {
    if (!this.#ended) this.#change({ rows: [...this.#now.rows, row] })
  }

  #account(row: number): void {
    try {
      this.#change(this.#parts.costOf(row))
    } catch (thrown) {
      this.#parts.log(`The cost of an image request could not be read: ${asStudioError(thrown).message}`)
    }
  }

  #slot(index: number, now: Partial<ImageSlot>): void {
    this.#change({ slots: this.#slotsWith(index, now) })
  }

  #slotsWith(index: number, now: Partial<ImageSlot>): ImageSlot[] {
    return this.#now.slots.map((slot) => (slot.index === index ? { ...slot, ...now } : slot))
  }

  #change(now: Partial<Drawing>): void {
    this.#now = { ...this.#now, ...now }
    this.#write()
  }

  /** Writes the current state as soon as the database accepts the write. */
  #write(): void {
    const { images, pending } = this.#parts.store
    pending.write(`drawing ${this.id}`, 'A drawing', () => {
      if (this.#ended) images.settle(this.id, this.#now)
      else images.step(this.id, this.#now)
      this.#parts.notify({ what: 'drawing', id: this.id })
    })
  }

  #outcome(): ['done' | 'failed', Problem | null] {
    const { slots } = this.#now
    if (slots.some(({ state }) => state === 'kept')) return ['done', null]
    return ['failed', slots[0]?.problem ?? null]
  }

  #end(state: 'done' | 'failed' | 'cancelled' | 'cut', problem: Problem | null): void {
    if (this.#ended) return
    this.#ended = true
    const tookMs = Math.round(performance.now() - this.#startedAt)
    this.#now = { ...this.#now, state, problem, tookMs, slots: endedSlots(this.#now.slots, problem) }
    this.#write()
  }
}

export const emptySlot = (index: number): ImageSlot => ({
  index,
  state: 'waiting',
  imageId: null,
  fileId: null,
  problem: null,
  address: null,
})

/** Marks the slots that are still empty as failed. */
export const endedSlots = (slots: readonly ImageSlot[], problem: Problem | null): ImageSlot[] =>
  slots.map((slot) =>
    slot.state === 'waiting' || slot.state === 'fetching' ? { ...slot, state: 'failed', problem } : slot,
  )

function requestOf({ prompt, n, model, size, responseFormat }: Drawing): CreateImageRequest {
  return {
    prompt,
    n,
    ...(model !== null && { model }),
    ...(size !== null && { size }),
    ...(responseFormat !== null && { response_format: responseFormat }),
  }
}
