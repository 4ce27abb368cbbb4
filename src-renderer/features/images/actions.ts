import type { Drawing, Image } from '../../../src-preload/contract/images.ts'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import { problemOf } from '../../api/problem.ts'
import { save } from '../../api/transfer.ts'
import { showCount } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import { navigate } from '../../shared/navigation.ts'
import { offerNewChatPicture } from '../../shared/newChatDraft.ts'
import { askOnce } from '../../shared/requestIds.ts'
import { appStore } from '../../stores/app.ts'
import {
  imagesStore,
  isMaking,
  isTroubled,
  savedCount,
  withAction,
  withChange,
  withCursor,
  withDismissed,
  withoutDrawing,
  withoutImages,
} from '../../stores/images.ts'
import { requestsStore, withSelected } from '../../stores/requests.ts'
import { routeStore } from '../../stores/route.ts'
import { attempt, client, say } from './client.ts'
import { draftPlace, find, setDraft } from './subscriptions.ts'

// Actions of a person, shared by buttons, keys and the palette.

const t = i18n.getFixedT(null, 'images')

/** Sends the draft. True when the core accepted it. The composer shows a failure. */
export async function draw(): Promise<boolean> {
  const core = client()
  const { draft, sending } = imagesStore.getState()
  const { from, prompt, ...rest } = draft
  if (!core || sending || prompt.trim() === '') return false
  imagesStore.setState({ sending: true, refused: null })
  try {
    const wish = { ...rest, prompt, fromImageId: from?.imageId ?? null }
    const drawing = await askOnce(draftPlace, wish, (requestId) => core.images.generate({ requestId, ...wish }))
    imagesStore.setState((state) => ({ ...withChange(state, { type: 'drawing', drawing }) }))
    setDraft({ from: null })
    return true
  } catch (thrown) {
    imagesStore.setState({ refused: problemOf(thrown) })
    return false
  } finally {
    imagesStore.setState({ sending: false })
  }
}

/** Adds the draft to the outbox. */
export async function drawLater(): Promise<void> {
  const { from, ...rest } = imagesStore.getState().draft
  const wish = { ...rest, fromImageId: from?.imageId ?? null }
  const added = await attempt((core) =>
    askOnce(draftPlace, wish, (requestId) => core.outbox.add({ requestId, request: { what: 'images', ...wish } })),
  )
  if (added) setDraft({ prompt: '', from: null })
}

/** Sends the same request again. */
export async function drawAgain({ prompt, n, model, size, responseFormat, fromImageId, id }: Drawing): Promise<void> {
  const wish = { prompt, n, model, size, responseFormat, fromImageId }
  const place = { scope: 'images', name: `again ${id}` }
  const drawing = await attempt((core) =>
    askOnce(place, wish, (requestId) => core.images.generate({ requestId, ...wish })),
  )
  if (!drawing) return
  imagesStore.setState((state) => withDismissed(withChange(state, { type: 'drawing', drawing }), id))
}

export async function cancel(drawingId: string): Promise<void> {
  const drawing = await attempt((core) => core.images.cancel({ drawingId }))
  if (drawing) imagesStore.setState((state) => withChange(state, { type: 'drawing', drawing }))
}

/** The latest running drawing. */
export const latestMaking = (): Drawing | null => imagesStore.getState().drawings.find(isMaking) ?? null

/** Dismisses the problems of a drawing. Deletes a drawing without images. */
export async function dismissed(drawing: Drawing): Promise<void> {
  imagesStore.setState((state) => withDismissed(state, drawing.id))
  if (savedCount(drawing) > 0) return
  const gone = await attempt((core) => core.images.dismiss({ drawingId: drawing.id }))
  if (gone) imagesStore.setState((state) => withoutDrawing(state, drawing.id))
}

export const openLightbox = (id: string): void => {
  imagesStore.setState(withCursor(id))
  navigate({ page: 'images', id }, { replace: routeStore.getState().route.id !== null })
}
export const closeLightbox = (): void => navigate({ page: 'images', id: null }, { replace: true })

/** Marks all images as favourites, or unmarks them when all are marked. */
export async function toggleFavourite(images: readonly Image[]): Promise<void> {
  if (images.length === 0) return
  const favourite = !images.every((image) => image.favourite)
  const mark = (value: (image: Image) => boolean): void =>
    imagesStore.setState((state) =>
      images
        .map((image) => ({ ...(state.images.find(({ id }) => id === image.id) ?? image), favourite: value(image) }))
        .reduce((before, image) => withChange(before, { type: 'image', image }), state),
    )
  mark(() => favourite)
  const done = await attempt((core) => core.images.setFavourite({ ids: images.map(({ id }) => id), favourite }))
  if (!done) mark((image) => image.favourite)
}

/** Time for which undo is visible, ms. */
const undoFor = 10_000
let undoEnds: ReturnType<typeof setTimeout> | undefined

/** Deletes images, with undo. */
export async function remove(images: readonly Image[]): Promise<void> {
  if (images.length === 0) return
  const ids = images.map(({ id }) => id)
  const done = await attempt((core) => core.images.remove({ ids }))
  if (!done) return
  clearTimeout(undoEnds)
  undoEnds = setTimeout(() => imagesStore.setState({ undoShown: false }), undoFor)
  imagesStore.setState((state) => withAction(withoutImages(state, ids), ids))
}

/** Undoes the latest deletion. */
export async function undoRemove(): Promise<void> {
  const { undo } = imagesStore.getState()
  const ids = undo.at(-1)
  if (!ids) return
  imagesStore.setState({ undo: undo.slice(0, -1) })
  const done = await attempt((core) => core.images.restore({ ids: [...ids] }))
  if (!done) return
  await find()
  const [first] = ids
  if (first === undefined) return
  // In the lightbox, shows the restored image.
  if (routeStore.getState().route.id !== null) openLightbox(first)
  else imagesStore.setState({ cursor: first, anchor: first })
}

export const saveImages = (images: readonly Image[]): Promise<void> => saveFiles(images.map(({ id }) => id))

/** Saves images, or the files of slots that can't be shown. */
export async function saveFiles(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await attempt(async (core) => save(await core.images.save({ ids: [...ids] })))
}

/** Copies the image as PNG, the only image format that every clipboard accepts. */
export async function copyImage({ mediaId, mime }: Image): Promise<void> {
  try {
    // Passes a pending promise, because some browsers permit writing to the clipboard only during the click.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': asPng(mediaPath(mediaId), mime) })])
    say('copied', t('actions.copied'))
  } catch {
    say('copied', t('actions.copyFailed'))
  }
}

async function asPng(src: string, mime: string): Promise<Blob> {
  const reply = await fetch(src)
  if (!reply.ok) throw new Error(`The image request failed with status ${reply.status}.`)
  const blob = await reply.blob()
  if (mime === 'image/png') return blob
  const bitmap = await createImageBitmap(blob)
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
  bitmap.close()
  return canvas.convertToBlob({ type: 'image/png' })
}

export async function reveal({ mediaId }: Image): Promise<void> {
  const found = await attempt((core) => core.media.reveal({ mediaId }))
  if (!found || found.shown) return
  const copy = () => void navigator.clipboard.writeText(found.path)
  say('reveal', t('actions.revealed', { path: found.path }), { label: t('actions.copyPath'), onClick: copy })
}

/** Copies the prompt and settings to the composer. With `vary`, the next image is a variation of this one. */
export async function reuse(image: Image, { vary = false } = {}): Promise<void> {
  const found = await attempt((core) => core.images.get({ id: image.id }))
  if (!found) return
  reuseDrawing(found.drawing)
  if (vary) setDraft({ from: { imageId: image.id, thumbId: image.thumbId, mediaId: image.mediaId } })
}

export function reuseDrawing({ prompt, n, model, size, responseFormat }: Drawing): void {
  setDraft({ prompt, n, model, size, responseFormat, from: null })
  if (routeStore.getState().route.id !== null) closeLightbox()
  appStore.setState({ listDrawerOpen: false })
  focusPrompt()
}

/** Focuses the prompt, after a dialog or menu over the composer has closed. */
export const focusPrompt = (): void => {
  setTimeout(() => {
    const field = document.querySelector<HTMLTextAreaElement>('.images-composer textarea')
    field?.focus()
    field?.setSelectionRange(field.value.length, field.value.length)
  })
}
export const focusGallery = (): void => {
  setTimeout(() => document.querySelector<HTMLElement>('.images-gallery')?.focus())
}

/** Attaches the image to the next message of a new chat. */
export async function showToChat(image: Image): Promise<void> {
  const attachment = await attempt((core) => core.images.asAttachment({ id: image.id }))
  if (!attachment) return
  offerNewChatPicture({ ...attachment, detail: null })
  navigate({ page: 'chat', id: null })
}

/** Opens a request in the log of the Proxy page. */
export function openRow(id: number): void {
  requestsStore.setState((state) => withSelected(state, id))
  appStore.setState({ inspectorShown: true })
  navigate({ page: 'proxy', id: null })
}

/** Moves to the first image of a drawing, after clearing a filter that hides it and reading the images that a search left out. For a drawing without images, shows its problems again. */
export async function goToDrawing(drawing: Drawing): Promise<void> {
  if (goToPicture(drawing)) return
  if (drawing.inSight.count > 0) {
    imagesStore.setState({ search: '', favourites: false })
    await find()
    goToPicture(drawing)
  } else if (isTroubled(drawing)) imagesStore.setState({ recalled: drawing.id })
}

/** Moves to the drawing's first image in the gallery. Returns false when the gallery shows none of its images. */
function goToPicture({ id }: Drawing): boolean {
  const image = imagesStore.getState().images.findLast(({ drawingId }) => drawingId === id)
  if (!image) return false
  imagesStore.setState(withCursor(image.id))
  return true
}

/** A file name from the prompt, without characters that file systems refuse. */
export function fileName({ prompt, mime }: Image): string {
  const words = prompt
    .replace(/[\p{C}\\/:*?"<>|]+/gu, ' ')
    .trim()
    .replace(/^\.+/, '')
  const stem = words.slice(0, 60).trim() || 'picture'
  return `${stem}.${mime.slice('image/'.length).replace('jpeg', 'jpg')}`
}

/** Drags an image out of the window: through Electron where possible, otherwise through the browser. */
export function dragOut(event: DragEvent, image: Image): void {
  const name = fileName(image)
  if (appStore.getState().app?.host === 'desktop') {
    event.preventDefault()
    void attempt((core) => core.media.dragOut({ mediaId: image.mediaId, name }))
    return
  }
  const src = new URL(mediaPath(image.mediaId), location.href).href
  event.dataTransfer?.setData('DownloadURL', `${image.mime}:${name.replaceAll(':', ' ')}:${src}`)
  event.dataTransfer?.setData('text/uri-list', src)
  if (event.dataTransfer) event.dataTransfer.effectAllowed = 'copy'
}

export const removedText = (count: number): string => t('actions.removed', { count, figure: showCount(count) })
