import type { Problem } from '../../../src-preload/contract/problem.ts'
import { StudioError } from '../errors.ts'
import type { Images } from '../features/images/images.ts'
import { fileNameOf } from '../features/images/saveImages.ts'
import { extensionOf, speechName } from '../features/speech/formats.ts'
import type { Speeches } from '../features/speech/speeches.ts'
import type { TranscriptionFeature } from '../features/transcription/transcription.ts'
import type { AppMedia, MadeItem, MediaCall, MediaMaker, Via } from '../ports/appMedia.ts'
import type { Upstream } from '../upstream/client.ts'
import { servicePathOf } from '../upstream/path.ts'

export interface AppMediaDependencies {
  images: Images
  speech: Speeches
  transcription: TranscriptionFeature
  media: { pathOf(mediaId: string): string | null }
  /** @throws StudioError `not_connected` */
  upstream(): Promise<Upstream>
  /** Origin of the local API, which replaces the base address in the replies that apps get. */
  local(): string
}

type MediaUpstream = Pick<Upstream, 'createImage' | 'createSpeech' | 'createTranscription' | 'fetchFile' | 'redact'>

/**
 * The media features as tools of apps. Their requests are the app's, and what they make is in the galleries, marked with the app. What the
 * app's limits refused leaves nothing there: an app that goes on asking would fill them.
 */
export function composeAppMedia(dependencies: AppMediaDependencies): AppMedia {
  const { images, speech, transcription, media, local } = dependencies

  async function through(by: MediaMaker): Promise<{ client: MediaUpstream; isSent(): boolean }> {
    const upstream = await dependencies.upstream()
    let isSent = false
    // A request has a row once all limits of its app have let it pass.
    const via: Via = (request, options) =>
      by.via(request, {
        ...options,
        onRow(id) {
          isSent = true
          options.onRow?.(id)
        },
      })
    const client: MediaUpstream = {
      createImage: (request, options) => upstream.createImage(request, { ...options, via }),
      createSpeech: (request, options) => upstream.createSpeech(request, { ...options, via }),
      createTranscription: (request, options) => upstream.createTranscription(request, { ...options, via }),
      // The relay has written the addresses of this computer into the reply.
      fetchFile(address, options) {
        const path = address.startsWith(`${local()}/`) ? servicePathOf(address.slice(local().length)) : null
        const own = path === null ? address : `${upstream.base.url.replace(/\/$/, '')}${path}`
        return upstream.fetchFile(own, { ...options, via })
      },
      redact: upstream.redact,
    }
    return { client, isSent: () => isSent }
  }

  function fileOf(mediaId: string, mime: string, name: string): MadeItem['files'] {
    const path = media.pathOf(mediaId)
    return path === null ? [] : [{ path, mime, name }]
  }

  return {
    async image(by, request, call) {
      const { client, isSent } = await through(by)
      const made = await images.make({ ...request, fromImageId: null }, undefined, { app: by.app, upstream: client })
      const { id } = made
      call.describe = () => {
        const { slots } = images.drawing(id)
        const kept = slots.filter(({ state }) => state === 'kept').length
        return kept === 0 ? 'The service is making it.' : `${kept} of ${slots.length} images`
      }
      await untilOver(call, images.over(id), () => images.cancel({ drawingId: id }))
      const drawing = images.drawing(id)
      await check(drawing, isSent() ? null : () => images.dismiss({ drawingId: id }))
      const files = drawing.slots.flatMap(({ imageId }) => {
        if (imageId === null) return []
        const { image } = images.get({ id: imageId })
        return fileOf(image.mediaId, image.mime, fileNameOf(image))
      })
      return { id, files, cost: drawing.cost, costIs: drawing.costIs }
    },

    async speech(by, request, call) {
      const { client, isSent } = await through(by)
      const { id } = await speech.make({ ...request, fromId: null }, undefined, { app: by.app, upstream: client })
      call.describe = () => {
        const { parts, partsDone, audioBytes } = speech.get({ id })
        return `${partsDone} of ${parts} parts, ${Math.round(audioBytes / 1000)} kB`
      }
      await untilOver(call, speech.over(id), () => speech.cancel({ id }))
      const spoken = speech.get({ id })
      await check(spoken, isSent() ? null : () => speech.remove({ ids: [id] }))
      const name = speechName(spoken.excerpt, extensionOf[spoken.format])
      const files = spoken.mediaId === null ? [] : fileOf(spoken.mediaId, spoken.mime, name)
      return { id, files, cost: spoken.cost, costIs: spoken.costIs }
    },

    async transcript(by, source, request, call) {
      const { client, isSent } = await through(by)
      const { recordingId, isAdded } = await recordingOf(by.app, source)
      const { id, totalBytes } = await transcription.transcribe({ ...request, recordingId }, undefined, client)
      const read = async () => {
        const { transcripts } = await transcription.get({ id: recordingId })
        const found = transcripts.find((one) => one.id === id)
        if (!found) throw new StudioError('no_such_item', 'This transcript was deleted.')
        return found
      }
      call.describe = () => `Waiting for the transcript of ${Math.ceil(totalBytes / 1000)} kB.`
      await untilOver(call, transcription.over(id), () => transcription.cancel({ transcriptId: id }))
      const transcript = await read()
      await check(transcript, isSent() || !isAdded ? null : () => transcription.takeBackFile(recordingId))
      const { cost, costIs, text } = transcript
      return { id: recordingId, files: [], cost, costIs, text }
    },
  }

  async function recordingOf(
    app: string,
    source: Parameters<AppMedia['transcript']>[1],
  ): Promise<{ recordingId: string; isAdded: boolean }> {
    if (!('path' in source) && !speech.has(source.id))
      return { recordingId: (await transcription.get(source)).recording.id, isAdded: false }
    const added =
      'path' in source ? transcription.addFileOf(app, source) : transcription.addSpeech({ speechId: source.id })
    return { recordingId: (await added).id, isAdded: true }
  }
}

/** Waits for the end of a run, which the end of its call cancels. */
async function untilOver({ signal }: MediaCall, over: Promise<unknown>, cancel: () => unknown): Promise<void> {
  const stop = (): void => void cancel()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    await over
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** @param undo takes the item out of its gallery. @throws StudioError the failure of an item that is not done */
async function check(
  { state, problem }: { state: string; problem: Problem | null },
  undo: (() => unknown) | null,
): Promise<void> {
  if (state === 'done') return
  await undo?.()
  if (problem === null) throw new StudioError('cancelled', 'This request was cancelled.')
  const { kind, message, ...facts } = problem
  throw new StudioError(kind, message, facts)
}
