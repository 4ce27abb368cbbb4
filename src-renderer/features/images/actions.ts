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

// What a person does in the room, from buttons, keys and the palette alike.

const t = i18n.getFixedT(null, 'images')

/** Sends the draft; true once the core has it. A refusal stands above the composer. */
export async function draw(): Promise<boolean> {
  const core = client()
  const { draft, sending } = imagesStore.getState()
  const { from, prompt, ...rest } = draft
  if (!core || sending || prompt.trim() === '') return false
  imagesStore.setState({ sending: true, refused: null })
  try {
    const wish = { ...rest, prompt, fromImageId: from?.imageId ?? null }
    const drawing = await askOnce(draftPlace, wish, (requestId) => core.images.make({ requestId, ...wish }))
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

/** Kept, and asked for when the service is back. */
export async function drawLater(): Promise<void> {
  const { from, ...rest } = imagesStore.getState().draft
  const wish = { ...rest, fromImageId: from?.imageId ?? null }
  const added = await attempt((core) =>
    askOnce(draftPlace, wish, (requestId) => core.waiting.add({ requestId, wish: { what: 'images', ...wish } })),
  )
  if (added) setDraft({ prompt: '', from: null })
}

/** The same once more, as it was asked for. */
export async function drawAgain({ prompt, n, model, size, responseFormat, fromImageId, id }: Drawing): Promise<void> {
  const wish = { prompt, n, model, size, responseFormat, fromImageId }
  const place = { scope: 'images', name: `again ${id}` }
  const drawing = await attempt((core) => askOnce(place, wish, (requestId) => core.images.make({ requestId, ...wish })))
  if (!drawing) return
  imagesStore.setState((state) => withDismissed(withChange(state, { type: 'drawing', drawing }), id))
}

export async function cancel(drawingId: string): Promise<void> {
  const drawing = await attempt((core) => core.images.cancel({ drawingId }))
  if (drawing) imagesStore.setState((state) => withChange(state, { type: 'drawing', drawing }))
}

/** The drawing that was begun last of those under way. */
export const latestMaking = (): Drawing | null => imagesStore.getState().drawings.find(isMaking) ?? null

/** Its troubles need no more room; one that brought no picture goes altogether. */
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

/** Marks all of them, or unmarks them where all are marked. */
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
  const done = await attempt((core) => core.images.favourite({ ids: images.map(({ id }) => id), favourite }))
  if (!done) mark((image) => image.favourite)
}

/** How long the way back is offered in sight, in ms. */
const undoFor = 10_000
let undoEnds: ReturnType<typeof setTimeout> | undefined

/** They go at once and can be brought back. */
export async function remove(images: readonly Image[]): Promise<void> {
  if (images.length === 0) return
  const ids = images.map(({ id }) => id)
  const done = await attempt((core) => core.images.remove({ ids }))
  if (!done) return
  clearTimeout(undoEnds)
  undoEnds = setTimeout(() => imagesStore.setState({ undoShown: false }), undoFor)
  imagesStore.setState((state) => withAction(withoutImages(state, ids), ids))
}

/** The last deed first. */
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
  // Where one is looked at, it is the one that came back.
  if (routeStore.getState().route.id !== null) openLightbox(first)
  else imagesStore.setState({ cursor: first, anchor: first })
}

export async function saveImages(images: readonly Image[]): Promise<void> {
  if (images.length === 0) return
  await attempt(async (core) => save(core, await core.images.save({ ids: images.map(({ id }) => id) })))
}

/** As PNG, the one kind of picture that every clipboard takes. */
export async function copyImage({ mediaId, mime }: Image): Promise<void> {
  try {
    // The promise is given to the clipboard before it is waited for: some browsers allow writing only within the click.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': asPng(mediaPath(mediaId), mime) })])
    say('copied', t('deeds.copied'))
  } catch {
    say('copied', t('deeds.copyFailed'))
  }
}

async function asPng(src: string, mime: string): Promise<Blob> {
  const reply = await fetch(src)
  if (!reply.ok) throw new Error(`The picture was answered with ${reply.status}.`)
  const blob = await reply.blob()
  if (mime === 'image/png') return blob
  const bitmap = await createImageBitmap(blob)
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
  bitmap.close()
  return canvas.convertToBlob({ type: 'image/png' })
}

export async function reveal({ mediaId }: Image): Promise<void> {
  const lies = await attempt((core) => core.media.reveal({ mediaId }))
  if (!lies || lies.shown) return
  const copy = () => void navigator.clipboard.writeText(lies.path)
  say('reveal', t('deeds.revealed', { path: lies.path }), { label: t('deeds.copyPath'), onClick: copy })
}

/** Its prompt and what was sent with it, whole, back in the composer; varied, the next one knows the picture it came from. */
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

/** Once what covers it is gone. */
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

/** As what the next message of a new chat shows to its model. */
export async function showToChat(image: Image): Promise<void> {
  const attachment = await attempt((core) => core.images.asAttachment({ id: image.id }))
  if (!attachment) return
  offerNewChatPicture({ ...attachment, detail: null })
  navigate({ page: 'chat', id: null })
}

/** Shows a request of it in the Proxy room's log. */
export function openRow(id: number): void {
  requestsStore.setState((state) => withSelected(state, id))
  appStore.setState({ inspectorShown: true })
  navigate({ page: 'proxy', id: null })
}

/** Goes to the first picture of a drawing, out of a search that hides it; one without pictures shows again what went wrong. */
export async function goToDrawing(drawing: Drawing): Promise<void> {
  const { search, favourites } = imagesStore.getState()
  if (goToPicture(drawing)) return
  if (drawing.inSight.count > 0 && (search.trim() !== '' || favourites)) {
    imagesStore.setState({ search: '', favourites: false })
    await find()
    goToPicture(drawing)
  } else if (isTroubled(drawing)) imagesStore.setState({ recalled: drawing.id })
}

/** False where the gallery shows none of them now. */
function goToPicture({ id }: Drawing): boolean {
  const image = imagesStore.getState().images.findLast(({ drawingId }) => drawingId === id)
  if (!image) return false
  imagesStore.setState(withCursor(image.id))
  return true
}

/** A name that says what it is, without what file systems can't hold. */
export function fileName({ prompt, mime }: Image): string {
  const words = prompt
    .replace(/[\p{C}\\/:*?"<>|]+/gu, ' ')
    .trim()
    .replace(/^\.+/, '')
  const stem = words.slice(0, 60).trim() || 'picture'
  return `${stem}.${mime.slice('image/'.length).replace('jpeg', 'jpg')}`
}

/** Out of the window: by the program where it can, else by the browser's own way. */
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

export const removedText = (count: number): string => t('deeds.removed', { count, figure: showCount(count) })
