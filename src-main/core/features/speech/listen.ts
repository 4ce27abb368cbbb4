import { type FileHandle, open } from 'node:fs/promises'
import type { SpeechSound } from '../../../../src-preload/contract/speech.ts'
import { StudioError } from '../../errors.ts'
import type { Feed } from '../../shared/events.ts'
import { partName, type SpeechFeature } from './dependencies.ts'
import type { SpeechRun } from './speechRun.ts'

const chunkBytes = 64 * 1024

/**
 * Streams the existing and future audio of a speech in order, read from disk at the listener's own pace. A slow listener delays no other,
 * and a late listener receives all audio. A joined speech is streamed as a single part. Ends with the speech, with the signal, or when
 * the consumer returns.
 * @throws StudioError `no_such_item`
 */
export function listen(
  feature: SpeechFeature,
  { id, fromPart }: { id: string; fromPart: number },
  signal?: AbortSignal,
): Feed<SpeechSound> {
  feature.store.speeches.get(id)
  const stop = new AbortController()
  const left = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  const sounds = soundsOf(feature, id, fromPart, left)
  return {
    next: () => sounds.next(),
    // Aborts the wait for the next bytes first. Otherwise the generator would finish that wait before it returns.
    return() {
      stop.abort()
      return sounds.return(undefined)
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await sounds.return(undefined)
    },
  }
}

async function* soundsOf(
  feature: SpeechFeature,
  id: string,
  fromPart: number,
  left: AbortSignal,
): AsyncGenerator<SpeechSound, undefined, void> {
  const { store, view, listening, media } = feature
  const { settings, mime, state } = store.speeches.get(id)
  const rate = settings.format === 'pcm' ? settings.pcmRate : null
  const joined = state === 'done' && !listening.has(id) ? joinedPath(feature, id) : null
  if (joined !== null) {
    yield { type: 'plan', parts: 1, mime, rate }
    yield* bytesOf(joined, 1, left, async () => 'whole')
    if (left.aborted) return
    yield { type: 'part', part: 1 }
    yield { type: 'end', state }
    return
  }
  listening.set(id, (listening.get(id) ?? 0) + 1)
  try {
    const parts = view.parts(id).length
    const run = feature.runs.get(id)
    yield { type: 'plan', parts, mime, rate }
    for (let part = fromPart; part <= parts; part++) {
      let whole = false
      const available = async (at: number): Promise<Available> => {
        const available = await availableOf(feature, { id, run, part, at }, left)
        whole = available === 'whole'
        return available
      }
      yield* bytesOf(media.growing.pathOf(partName(id, part)), part, left, available)
      if (left.aborted) return
      if (!whole) break
      yield { type: 'part', part }
    }
    await overOf(feature, run, left)
    if (left.aborted) return
    yield { type: 'end', state: store.speeches.find(id)?.state ?? 'cancelled' }
  } finally {
    await leave(feature, id)
  }
}

function joinedPath({ store, media }: SpeechFeature, id: string): string | null {
  const { mediaId } = store.speeches.get(id)
  return mediaId === null ? null : media.pathOf(mediaId)
}

/** Number of bytes available; `whole` or `cut` when no more bytes will arrive. */
type Available = number | 'whole' | 'cut'

/** Yields the bytes of a file from its start, up to the number that `available` returns. */
async function* bytesOf(
  path: string,
  part: number,
  left: AbortSignal,
  available: (at: number) => Promise<Available>,
): AsyncGenerator<SpeechSound, undefined, void> {
  let file: FileHandle | null = null
  try {
    for (let at = 0; ; ) {
      const there = await available(at)
      if (left.aborted) return
      file ??= await openThere(path)
      if (file === null && typeof there === 'number')
        throw new StudioError('no_such_item', 'The audio file is missing.')
      if (file === null) return
      const least = typeof there === 'number' ? Math.min(chunkBytes, there - at) : chunkBytes
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(least), 0, least, at)
      if (left.aborted) return
      if (bytesRead === 0) return
      at += bytesRead
      yield { type: 'audio', part, data: buffer.subarray(0, bytesRead) }
    }
  } finally {
    await file?.close()
  }
}

async function openThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r')
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null
    throw thrown
  }
}

interface Place {
  id: string
  /** The run when listening started. A later run (after `resume`) is not followed. */
  run: SpeechRun | undefined
  part: number
  at: number
}

/** Waits until a part has more than `at` bytes, or until it can get no more. */
async function availableOf(
  feature: SpeechFeature,
  { id, run, part, at }: Place,
  left: AbortSignal,
): Promise<Available> {
  for (;;) {
    if (left.aborted) return 'cut'
    const under = run !== undefined && feature.runs.get(id) === run
    // Uses the state of the run while it requests this part, to save a database read per chunk.
    const growing = under && run.part === part
    if (growing && run.receivedBytes > at) return run.receivedBytes
    if (!growing && feature.store.speeches.parts(id).find((one) => one.part === part)?.state === 'done') return 'whole'
    if (!under) return 'cut'
    await changed(run, left)
  }
}

/** Waits until the speech has ended, which is shortly after its last part. */
async function overOf(feature: SpeechFeature, run: SpeechRun | undefined, left: AbortSignal): Promise<void> {
  while (run && feature.runs.get(run.id) === run && !left.aborted) await changed(run, left)
}

function changed(run: SpeechRun, left: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stop()
      left.removeEventListener('abort', end)
      resolve()
    }
    const stop = run.changes.add(end)
    left.addEventListener('abort', end, { once: true })
  })
}

/** The last listener of a joined speech deletes its part files. */
async function leave(feature: SpeechFeature, id: string): Promise<void> {
  const others = (feature.listening.get(id) ?? 1) - 1
  if (others > 0) feature.listening.set(id, others)
  else {
    feature.listening.delete(id)
    const speech = feature.store.speeches.find(id)
    if (speech?.state === 'done' && speech.mediaId !== null) await feature.media.growing.discardAll(id)
  }
}
