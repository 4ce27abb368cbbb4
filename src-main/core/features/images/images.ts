import { randomUUID } from 'node:crypto'
import type { Attachment } from '../../../../src-preload/contract/chat.ts'
import type { Drawing, Image, ImageSlot, ImagesChange, ImageWish } from '../../../../src-preload/contract/images.ts'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import { asStudioError, mayHaveLeft, StudioError } from '../../errors.ts'
import { type Feed, Listeners } from '../../shared/events.ts'
import { needles, readQuery } from '../../shared/text/query.ts'
import { searchable } from '../../shared/text/splitWords.ts'
import type { ImagesParts } from './dependencies.ts'
import { endedSlots, ImageRun } from './imageRun.ts'
import { fileNameOf, saveImages } from './saveImages.ts'
import { type ImagesNote, watchImages } from './watchImages.ts'

/** A small picture that a window made of a whole one. */
const mostThumbBytes = 300_000
const mostThumbSide = 512
/** How long the end of a drawing may wait for the database before it counts as not over, ms. */
const writtenMs = 10_000

export type Images = ReturnType<typeof createImages>

/** The Images room. A drawing belongs to the core: whoever looks, and whichever room is open, it goes on. */
export function createImages(parts: ImagesParts) {
  const { store, media } = parts
  const { images } = store
  const changes = new Listeners<[ImagesNote]>()
  const runs = new Map<string, { run: ImageRun; done: Promise<void> }>()
  const notify = (note: ImagesNote): void => changes.notify(note)
  recover()

  /** Drawings that were under way when the program ended: what had come is kept, and they say so. */
  function recover(): void {
    for (const drawing of images.making()) {
      const problem = programEnded()
      const now: Drawing = { ...drawing, state: 'cut', problem, slots: endedSlots(drawing.slots, problem) }
      images.settle(drawing.id, { ...now, ...costOf(drawing) })
    }
  }

  function costOf({ rows: [row] }: Drawing): Pick<Drawing, 'cost' | 'costIs'> {
    try {
      if (row !== undefined) return parts.costOf(row)
    } catch (thrown) {
      parts.log(`What a drawing cost could not be read: ${asStudioError(thrown).message}`)
    }
    return { cost: null, costIs: 'unknown' }
  }

  /** One in sight. @throws StudioError `no_such_item` */
  function imageOf(id: string): Image {
    const image = images.image(id)
    if (!image) throw new StudioError('no_such_item', 'That picture is not there any more.')
    return image
  }

  /** @throws StudioError `no_such_item` */
  function drawingOf(id: string): Drawing {
    const drawing = images.drawing(id)
    if (!drawing) throw new StudioError('no_such_item', 'That drawing is not there any more.')
    return drawing
  }

  /** They, and the drawings that show how many of theirs are left. */
  function notifyAll(ids: readonly string[]): void {
    for (const id of ids) notify({ what: 'image', id })
    for (const id of images.drawingsOf(ids)) notify({ what: 'drawing', id })
  }

  return {
    watch: (signal?: AbortSignal): Feed<ImagesChange> => watchImages(images, changes, signal),
    /** All that match, newest first. */
    find({ search, favourites }: { search: string; favourites: boolean }): { images: Image[] } {
      const query = readQuery(search)
      // Signs alone are no word that could stand anywhere.
      if (query === null && search.trim() !== '') return { images: [] }
      return { images: images.find({ needles: query ? needles(query) : [], favourites }) }
    },
    /** @throws StudioError `no_such_item` */
    get({ id }: { id: string }) {
      const image = imageOf(id)
      return { image, drawing: drawingOf(image.drawingId), lineage: images.lineage(image.drawingId) }
    },
    /**
     * Stores a drawing, then asks for it; `alongside` is stored in the same transaction. `requestId` becomes the id of the drawing: where
     * there is one with that id, that is the answer and nothing is asked.
     * @throws StudioError `bad_input`, `not_connected`, and as `alongside` does
     */
    async make(
      {
        requestId: id = randomUUID(),
        fromImageId,
        ...wish
      }: ImageWish & { requestId?: string; fromImageId: string | null },
      alongside: () => void = () => undefined,
    ): Promise<Drawing> {
      if (wish.prompt.trim() === '') throw new StudioError('bad_input', 'Describe the image.')
      const upstream = images.drawing(id) ? null : await parts.upstream()
      // Looked up again: another call with this id may have waited for the connection too.
      const before = images.drawing(id)
      if (!upstream || before) {
        store.transaction(alongside)
        return before ?? drawingOf(id)
      }
      store.transaction(() => {
        images.insertDrawing(id, {
          ...wish,
          createdAt: new Date().toISOString(),
          search: searchable(wish.prompt),
          fromImageId: fromImageId !== null && images.isImage(fromImageId) ? fromImageId : null,
          slots: Array.from({ length: wish.n }, (_, index) => emptySlot(index)),
        })
        alongside()
      })
      const drawing = drawingOf(id)
      const run = new ImageRun(drawing, { ...parts, notify })
      const done = run.drive(upstream).finally(() => runs.delete(id))
      runs.set(id, { run, done })
      notify({ what: 'drawing', id })
      return drawing
    },
    /** Resolves when it is not under way, with how it ended. @throws StudioError `no_such_item` */
    async over(id: string): Promise<Drawing['state']> {
      await runs.get(id)?.done
      await store.pending.settled(writtenMs)
      return drawingOf(id).state
    },
    /** The wish of one that never left this machine, which goes out of sight. @throws StudioError `no_such_item`, `bad_input` */
    takeBack(id: string): ImageWish & { fromImageId: string | null } {
      const { state, problem, prompt, n, model, size, responseFormat, fromImageId } = drawingOf(id)
      if (state !== 'failed' || problem?.unsent !== true || !images.takeOut(id)) throw mayHaveLeft()
      notify({ what: 'drawing', id })
      return { prompt, n, model, size, responseFormat, fromImageId }
    },
    /** What has come is kept. One that has ended stays as it is. @throws StudioError `no_such_item` */
    cancel({ drawingId }: { drawingId: string }): Drawing {
      runs.get(drawingId)?.run.stop('cancelled')
      return drawingOf(drawingId)
    },
    /** @throws StudioError `no_such_item`, `bad_input` where it is under way or has pictures */
    dismiss({ drawingId }: { drawingId: string }): void {
      drawingOf(drawingId)
      if (!images.dismiss(drawingId)) {
        throw new StudioError('bad_input', 'This drawing has pictures or is under way; delete or cancel it instead.')
      }
    },
    /** Whether there is or was one with this id. */
    has: (id: string): boolean => images.drawing(id) !== null,
    favourite({ ids, favourite }: { ids: readonly string[]; favourite: boolean }): void {
      images.setFavourite(ids, favourite)
      notifyAll(ids.filter((id) => images.image(id)))
    },
    /** @throws StudioError `no_such_item`, `bad_input` for what is no small WebP or PNG */
    async keepThumb({ id, data }: { id: string; data: string }): Promise<Image> {
      const before = imageOf(id).thumbId
      const bytes = Buffer.from(data, 'base64')
      if (bytes.length > mostThumbBytes) throw new StudioError('bad_input', 'A small picture has at most 300 kB.')
      const { id: thumbId } = await media.addPicture({ bytes }, { name: null }, (item) => {
        const { width, height, mime } = item
        const small = Math.max(width ?? 0, height ?? 0) <= mostThumbSide
        if (!small || (mime !== 'image/webp' && mime !== 'image/png')) {
          throw new StudioError('bad_input', 'A small picture is a WebP or PNG of at most 512 pixels a side.')
        }
        images.setThumb(id, item.id)
      })
      if (before !== null && before !== thumbId) await media.drop([before])
      notifyAll([id])
      return imageOf(id)
    },
    /** @throws StudioError `no_such_item`, `busy` */
    async save({ ids }: { ids: readonly string[] }): Promise<Download> {
      return saveImages(parts, [...new Set(ids)].map(imageOf))
    },
    /** @throws StudioError `no_such_item` */
    asAttachment({ id }: { id: string }): Omit<Attachment, 'detail'> {
      const image = imageOf(id)
      return { ...media.toDraft(image.mediaId), name: fileNameOf(image) }
    },
    remove({ ids }: { ids: readonly string[] }): { removed: number } {
      const removed = images.remove(ids, new Date().toISOString())
      notifyAll(removed)
      return { removed: removed.length }
    },
    restore({ ids }: { ids: readonly string[] }): { restored: number } {
      const restored = images.restore(ids)
      notifyAll(restored)
      return { restored: restored.length }
    },
    /** Pictures were erased elsewhere, and drawings with them: watchers begin anew. */
    erased: (): void => notify({ what: 'erasing' }),
    /** The program ends: drawings under way are cut, and keep what came. */
    async close(): Promise<void> {
      const under = [...runs.values()]
      for (const { run } of under) run.stop('cut', programEnded())
      await Promise.all(under.map(({ done }) => done))
    },
  }
}

const emptySlot = (index: number): ImageSlot => ({
  index,
  state: 'waiting',
  imageId: null,
  problem: null,
  address: null,
})

/** Nothing is said about work or charges upstream: a missing response proves nothing (specification, Errors). */
const programEnded = () =>
  new StudioError('cancelled', 'Inference Studio ended while this was being drawn.').toProblem()
