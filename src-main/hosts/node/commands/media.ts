import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { MakingState } from '../../../../src-preload/contract/createdItems.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { SpeechFormat } from '../../../../src-preload/contract/speech.ts'
import { t } from '../../../../src-renderer/i18n/cli.ts'
import { StudioError } from '../../../core/errors.ts'
import { type ConnectionOptions, connectionFrom } from '../connection.ts'
import type { Parts } from '../dependencies.ts'
import { failureOf, usageError } from '../failure.ts'
import { exitCodes, printJson, say, tell, writeOutput } from '../output.ts'
import { ownError, wordsOf } from '../ownWords.ts'
import { isPiped, readPrompt } from '../prompt.ts'
import type { Interrupt } from '../signals.ts'
import { download, type UsedStudio, upload, withStudio } from '../studio.ts'
import { fileToRead, fileToWrite, withTemporaryPath, writeFileAtomically } from '../userFile.ts'
import { outputOption } from './usage.ts'

// Speech, transcripts and images of the command line. Each is an item of the studio, as if a window had made it.

interface MediaOptions extends ConnectionOptions {
  model?: string
  /** A file, or `-` for standard output, which is the default of a pipe. */
  output?: string
  /** Overwrite an existing file. */
  force: boolean
  dataDir?: string
  json: boolean
}

export interface SpeakOptions extends MediaOptions {
  voice?: string
  /** Default: by the name of `output`, else mp3. */
  format?: SpeechFormat
  speed?: number
}

/** `speak`: turns a text into speech. */
export async function speak(argument: string | undefined, options: SpeakOptions, parts: Parts): Promise<number> {
  const file = await audioOrImageFile(options)
  const text = await readPrompt(argument, options)
  const { model = null, voice = null, speed = null } = options
  const request = { text, model, voice, speed, format: options.format ?? formatOf(file), requestId: randomUUID() }
  return withMedia(options, parts, async (studio, interrupt) => {
    const { speech } = studio.client
    const { id } = await interrupt.or(speech.generate(request))
    const cancel = () => speech.cancel({ id })
    const changes = await speech.watch()
    const made = await untilMade(
      changes,
      (change) => (change.type === 'speech' ? [change.speech] : change.type === 'snapshot' ? change.speeches : []),
      { id, cancel, interrupt },
    )
    await save(studio, interrupt, speech.save({ id }), file)
    report(options, file, { id, seconds: made.seconds, bytes: made.audioBytes, cost: made.cost })
  })
}

export interface TranscribeOptions extends MediaOptions {
  /** Name of the recording, whose ending says its format. For standard input. */
  name?: string
  language?: string
  prompt?: string
  /** Default: by the name of `output`, else text. */
  format?: 'txt' | 'vtt' | 'srt'
}

/** `transcribe`: turns a recording into text. */
export async function transcribe(given: string, options: TranscribeOptions, parts: Parts): Promise<number> {
  const file = options.output === undefined ? null : await outputFile(options)
  if (given !== '-')
    return transcribeFile(await fileToRead(given), options.name ?? basename(given), file, options, parts)
  if (!isPiped()) throw usageError(t('media.pipe'))
  return withTemporaryPath(tmpdir(), async (part) => {
    await pipeline(process.stdin, createWriteStream(part, { flags: 'wx', mode: 0o600 }))
    return transcribeFile(part, options.name ?? 'recording', file, options, parts)
  })
}

function transcribeFile(path: string, name: string, file: string | null, options: TranscribeOptions, parts: Parts) {
  const { model = null, language = null, prompt = null } = options
  const ending = /\.(vtt|srt)$/i.exec(file ?? '')?.[1]?.toLowerCase()
  const as = options.format ?? (ending === 'vtt' || ending === 'srt' ? ending : 'txt')
  return withMedia(options, parts, async (studio, interrupt) => {
    const { transcription } = studio.client
    const recording = await interrupt.or(uploaded(studio, path, name))
    const asked = { model, language, prompt, format: as === 'txt' ? null : 'vtt', temperature: null }
    const { id } = await interrupt.or(
      transcription.transcribe({ ...asked, requestId: randomUUID(), recordingId: recording.id }),
    )
    const changes = await transcription.watch()
    const cancel = () => transcription.cancel({ transcriptId: id })
    // The first change has no transcripts, so a transcript that has ended already is looked up.
    const { transcripts } = await transcription.get({ id: recording.id })
    const ended = transcripts.find((one) => one.id === id && one.state !== 'making')
    const made = ended
      ? mustBeDone(ended)
      : await untilMade(changes, (change) => (change.type === 'transcript' ? [change.transcript] : []), {
          ...{ id, cancel, interrupt },
        })
    if (options.json && file === null) return printJson({ id, text: made.text, cues: made.cues, cost: made.cost })
    await save(studio, interrupt, transcription.save({ transcriptId: id, as }), file)
    if (file !== null) report(options, file, { id, cost: made.cost })
  })
}

export interface ImageOptions extends MediaOptions {
  count: number
  size?: string
}

/** `image`: makes images from a text. Several images get numbers before the ending of the file name. */
export async function image(argument: string | undefined, options: ImageOptions, parts: Parts): Promise<number> {
  const { count: n, model = null, size = null } = options
  if (n > 1 && (options.output === undefined || options.output === '-')) throw usageError(t('media.several'))
  const files: (string | null)[] = []
  for (let at = 0; at < n; at++) files.push(await audioOrImageFile(options, n === 1 ? '' : `-${at + 1}`))
  const prompt = await readPrompt(argument, options)
  const request = { prompt, n, model, size, responseFormat: null, requestId: randomUUID() }
  return withMedia(options, parts, async (studio, interrupt) => {
    const { images } = studio.client
    const { id } = await interrupt.or(images.generate(request))
    const made = await untilMade(
      await images.watch(),
      (change) => (change.type === 'drawing' ? [change.drawing] : change.type === 'snapshot' ? change.drawings : []),
      { id, interrupt, cancel: () => images.cancel({ drawingId: id }) },
    )
    const ids = made.slots.flatMap(({ imageId }) => imageId ?? [])
    for (const [at, file] of files.entries()) {
      const imageId = ids[at]
      if (imageId === undefined) {
        const problem = made.slots.find((slot) => slot.problem !== null)?.problem
        throw problemError(problem ?? null, t('media.noImage'))
      }
      await save(studio, interrupt, images.save({ ids: [imageId] }), file)
      report(options, file, { id: imageId, cost: made.cost })
    }
  })
}

async function uploaded(studio: UsedStudio, path: string, name: string) {
  const source = await open(path, 'r')
  try {
    return await studio.client.transcription.addFile({ uploadId: await upload(studio, source, name) })
  } finally {
    await source.close()
  }
}

async function withMedia(
  options: MediaOptions,
  parts: Parts,
  use: (studio: UsedStudio, interrupt: Interrupt) => Promise<unknown>,
): Promise<number> {
  const connect = await connectionFrom(options)
  return withStudio({ dataDir: options.dataDir, connect }, parts, async (studio, interrupt) => {
    await use(studio, interrupt)
    return exitCodes.ok
  })
}

interface Made {
  id: string
  state: MakingState
  problem: Problem | null
}

/** The item once it is complete. An end signal cancels it. @throws StudioError the problem of the item, or `cancelled` */
async function untilMade<C, T extends Made>(
  changes: AsyncIterable<C>,
  itemsOf: (change: C) => readonly T[],
  { id, cancel, interrupt }: { id: string; cancel: () => Promise<unknown>; interrupt: Interrupt },
): Promise<T> {
  const stop = () => void cancel().catch((thrown: unknown) => tell('error', wordsOf(failureOf(thrown))))
  if (interrupt.signal.aborted) stop()
  else interrupt.signal.addEventListener('abort', stop, { once: true })
  for await (const change of changes) {
    const item = itemsOf(change).find((one) => one.id === id)
    if (item && item.state !== 'making') return mustBeDone(item)
  }
  throw ownError('incomplete_stream', t('media.studioEnded'))
}

/** @throws StudioError the problem of the item, or `cancelled` */
function mustBeDone<T extends Made>(item: T): T {
  if (item.state === 'done') return item
  if (item.state === 'cancelled') throw ownError('cancelled', t('cancelled'))
  throw problemError(item.problem, t('media.workEnded'))
}

const problemError = (problem: Problem | null, otherwise: string): StudioError =>
  problem ? new StudioError(problem.kind, problem.message) : ownError('incomplete_stream', otherwise)

const formatOf = (file: string | null): SpeechFormat => {
  const ending = extname(file ?? '').toLowerCase()
  const known = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
  return known.find((one) => ending === `.${one}`) ?? 'mp3'
}

/** The file for bytes; null for standard output. @throws CommanderError where a terminal would get them, or JSON beside them */
async function audioOrImageFile(options: MediaOptions, number = ''): Promise<string | null> {
  const file = await outputFile(options, number)
  if (file === null && process.stdout.isTTY) throw usageError(t('media.binary'))
  if (file === null && options.json) throw usageError(t('media.noJson'))
  return file
}

async function outputFile({ output, force }: MediaOptions, number = ''): Promise<string | null> {
  if (output === undefined || output === '-') return null
  const ending = extname(output)
  const named = `${output.slice(0, output.length - ending.length)}${number}${ending}`
  return fileToWrite(named, outputOption({ force }))
}

/** Writes a result to its file, or to standard output. @throws StudioError `cancelled` by an end signal, and then there is no file */
async function save(
  studio: UsedStudio,
  { or, signal }: Interrupt,
  offered: Promise<{ downloadId: string }>,
  file: string | null,
): Promise<void> {
  const { downloadId } = await or(offered)
  const bytes = addAbortSignal(signal, await or(download(studio, downloadId)))
  try {
    if (file !== null) await writeFileAtomically(file, bytes)
    else for await (const part of bytes) await writeOutput(part)
  } catch (thrown) {
    signal.throwIfAborted()
    throw thrown
  }
}

function report({ json }: MediaOptions, file: string | null, facts: object): void {
  if (json) printJson({ file, ...facts })
  else if (file !== null) say(t('wrote', { path: file }))
}
