import { randomUUID } from 'node:crypto'
import type { Attachment } from '../../../../src-preload/contract/chat.ts'
import type { Drawing, Image, ImageRequest, ImagesChange } from '../../../../src-preload/contract/images.ts'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import { asStudioError, mayHaveLeft, StudioError } from '../../errors.ts'
import { type Feed, Listeners } from '../../shared/events.ts'
import { needles, readQuery } from '../../shared/text/query.ts'
import { searchable } from '../../shared/text/splitWords.ts'
import type { ImagesParts, ImagesUpstream } from './dependencies.ts'
import { emptySlot, endedSlots, ImageRun } from './imageRun.ts'
import { fileNameOf, saveImages } from './saveImages.ts'
import { type ImagesNote, watchImages } from './watchImages.ts'

/** Maximum size of a thumbnail that a window created. */
const mostThumbBytes = 300_000
const mostThumbSide = 512
/** How long the end of a request may wait for the database before it counts as still running, ms. */
const writtenMs = 10_000

export type Images = ReturnType<typeof createImages>

/** Creates the images feature. The core owns running requests, so they continue whatever the window shows. */
export function createImages(parts: ImagesParts) {
  const { store, media, uploads } = parts
  const { images } = store
  const changes = new Listeners<[ImagesNote]>()
  const runs = new Map<string, { run: ImageRun; done: Promise<void> }>()
  const notify = (note: ImagesNote): void => changes.notify(note)
  recover()

  /** Marks requests that the end of the program interrupted as `cut`. Their images that had arrived stay. */
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
      parts.log(`The cost of an image request could not be read: ${asStudioError(thrown).message}`)
    }
    return { cost: null, costIs: 'unknown' }
  }

  /** Returns a visible image. @throws StudioError `no_such_item` */
  function imageOf(id: string): Image {
    const image = images.image(id)
    if (!image) throw new StudioError('no_such_item', 'That image no longer exists.')
    return image
  }

  /** @throws StudioError `no_such_item` */
  function drawingOf(id: string): Drawing {
    const drawing = images.drawing(id)
    if (!drawing) throw new StudioError('no_such_item', 'That image request no longer exists.')
    return drawing
  }

  /** Notifies watchers of these images, and of their requests, which show the number of images. */
  function notifyAll(ids: readonly string[]): void {
    for (const id of ids) notify({ what: 'image', id })
    for (const id of images.drawingsOf(ids)) notify({ what: 'drawing', id })
  }

  return {
    watch: (signal?: AbortSignal): Feed<ImagesChange> => watchImages(images, changes, signal),
    /** All matching images, newest first. */
    find({ search, favourites }: { search: string; favourites: boolean }): { images: Image[] } {
      const query = readQuery(search)
      // A search for punctuation alone matches nothing.
      if (query === null && search.trim() !== '') return { images: [] }
      return { images: images.find({ needles: query ? needles(query) : [], favourites }) }
    },
    /** @throws StudioError `no_such_item` */
    get({ id }: { id: string }) {
      const image = imageOf(id)
      return { image, drawing: drawingOf(image.drawingId), lineage: images.lineage(image.drawingId) }
    },
    /**
     * Stores an image request, then sends it; `alongside` runs in the same transaction. `requestId` becomes its id. If a request with
     * that id exists, returns it and sends nothing.
     * @param by the app that makes it, with a client that sends its requests; null: a person does
     * @throws StudioError `bad_input`, `not_connected`, and errors of `alongside`
     */
    async make(
      {
        requestId: id = randomUUID(),
        fromImageId,
        ...request
      }: ImageRequest & { requestId?: string; fromImageId: string | null },
      alongside: () => void = () => undefined,
      by: { app: string; upstream: ImagesUpstream } | null = null,
    ): Promise<Drawing> {
      if (request.prompt.trim() === '') throw new StudioError('bad_input', 'Describe the image.')
      const upstream = images.drawing(id) ? null : (by?.upstream ?? (await parts.upstream()))
      // Checks again, because a concurrent call with this id may have waited for the connection too.
      const before = images.drawing(id)
      if (!upstream || before) {
        store.transaction(alongside)
        return before ?? drawingOf(id)
      }
      store.transaction(() => {
        images.insertDrawing(id, {
          ...request,
          app: by?.app ?? null,
          createdAt: new Date().toISOString(),
          search: searchable(`${request.prompt}\n${by?.app ?? ''}`),
          fromImageId: fromImageId !== null && images.isImage(fromImageId) ? fromImageId : null,
          slots: Array.from({ length: request.n }, (_, index) => emptySlot(index)),
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
    /** Resolves with the final state when the request is not running. @throws StudioError `no_such_item` */
    async over(id: string): Promise<Drawing['state']> {
      await runs.get(id)?.done
      await store.pending.settled(writtenMs)
      return drawingOf(id).state
    },
    /** Removes a request that was never sent, and returns its input for editing. @throws StudioError `no_such_item`, `bad_input` */
    takeBack(id: string): ImageRequest & { fromImageId: string | null } {
      const { state, problem, prompt, n, model, size, responseFormat, fromImageId } = drawingOf(id)
      if (state !== 'failed' || problem?.unsent !== true || !images.takeOut(id)) throw mayHaveLeft()
      notify({ what: 'drawing', id })
      return { prompt, n, model, size, responseFormat, fromImageId }
    },
    /** A request, also of images that are deleted. @throws StudioError `no_such_item` */
    drawing: drawingOf,
    /** Cancels a running request. Images that have arrived stay. An ended request does not change. @throws StudioError `no_such_item` */
    cancel({ drawingId }: { drawingId: string }): Drawing {
      runs.get(drawingId)?.run.stop('cancelled')
      return drawingOf(drawingId)
    },
    /** Hides a failed request. @throws StudioError `no_such_item`, `bad_input` if the request is running or has images */
    dismiss({ drawingId }: { drawingId: string }): void {
      drawingOf(drawingId)
      if (!images.dismiss(drawingId, new Date().toISOString())) {
        throw new StudioError(
          'bad_input',
          'This request has images or is still running. Delete its images or cancel it instead.',
        )
      }
    },
    /** Whether a request with this id exists, visible or deleted. */
    has: (id: string): boolean => images.drawing(id) !== null,
    favourite({ ids, favourite }: { ids: readonly string[]; favourite: boolean }): void {
      images.setFavourite(ids, favourite)
      notifyAll(ids.filter((id) => images.image(id)))
    },
    /** Stores an uploaded thumbnail. @throws StudioError `no_such_item`, `bad_input` unless the file is a small WebP or PNG */
    async saveThumbnail({ id, uploadId }: { id: string; uploadId: string }): Promise<Image> {
      const { path, bytes } = uploads.take(uploadId)
      try {
        const before = imageOf(id).thumbId
        if (bytes > mostThumbBytes) throw new StudioError('bad_input', 'A thumbnail may have at most 300 kB.')
        const { id: thumbId } = await media.addPicture({ path }, { name: null }, (item) => {
          const { width, height, mime } = item
          const small = Math.max(width ?? 0, height ?? 0) <= mostThumbSide
          if (!small || (mime !== 'image/webp' && mime !== 'image/png')) {
            throw new StudioError('bad_input', 'A thumbnail must be a WebP or PNG of at most 512 pixels per side.')
          }
          images.setThumb(id, item.id)
        })
        if (before !== null && before !== thumbId) await media.drop([before])
      } finally {
        await uploads.done(uploadId)
      }
      notifyAll([id])
      return imageOf(id)
    },
    /** @throws StudioError `no_such_item`, `busy` */
    async save({ ids }: { ids: readonly string[] }): Promise<Download> {
      return saveImages(
        parts,
        [...new Set(ids)].map((id) => images.damaged(id) ?? imageOf(id)),
      )
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
    /** Call after images and requests were deleted permanently: watchers get a new snapshot. */
    erased: (): void => notify({ what: 'erasing' }),
    /** Call at the end of the program: marks running requests as `cut`. Images that have arrived stay. */
    async close(): Promise<void> {
      const under = [...runs.values()]
      for (const { run } of under) run.stop('cut', programEnded())
      await Promise.all(under.map(({ done }) => done))
    },
  }
}

/** Leaves `workPossible` unset: a missing response proves nothing about work or charges (specification, Errors). */
const programEnded = () => new StudioError('cancelled', 'Inference Studio ended during this image request.').toProblem()
