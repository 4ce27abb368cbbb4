import { readFile } from 'node:fs/promises'
import type { MakingCost } from '../../../../src-preload/contract/createdItems.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { SpeechFormat, SpeechPart } from '../../../../src-preload/contract/speech.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import { unexpected } from '../../shared/unexpected.ts'
import { untilWritten } from '../../store/pendingWrites.ts'
import type { SpeechSettings } from '../../store/speeches.ts'
import type { ByteReply, CreateSpeechRequest } from '../../upstream/types.ts'
import { type GrowingPart, partName, type SpeechFeature, type SpeechUpstream } from './dependencies.ts'
import { readSound, type Sound, soundOf } from './join/sound.ts'
import type { SpeechRun } from './speechRun.ts'
import { costOfAll } from './view.ts'

/** Maximum size of a part. A part of 4,096 bytes of text is far smaller. Anything larger is not speech and would fill the disk. */
const mostBytes = 512 * 1024 * 1024

/**
 * Requests the incomplete parts, one after another, each into its own file. Bytes are on disk before they are counted. The first failure
 * ends the run.
 * @throws StudioError for errors of the service, `malformed_reply` for a reply that is not speech, `cancelled`
 */
export async function speakParts(feature: SpeechFeature, run: SpeechRun, upstream: SpeechUpstream): Promise<void> {
  const { speeches } = feature.store
  const { settings } = speeches.row(run.id)
  const text = speeches.text(run.id).toWellFormed()
  let first: Sound | null = null
  for (const part of speeches.parts(run.id)) {
    if (part.state === 'done') first ??= await soundOfPart(feature, run.id, part.part, settings)
    else {
      const sound = await speakPart(feature, run, part, {
        upstream,
        settings,
        input: text.slice(part.from, part.to),
        first,
      })
      first ??= sound
    }
  }
}

interface Task {
  upstream: SpeechUpstream
  settings: SpeechSettings
  input: string
  /** The first part, whose parameters the other parts must share to be joined; null for the first part itself. */
  first: Sound | null
}

async function speakPart(feature: SpeechFeature, run: SpeechRun, part: SpeechPart, task: Task): Promise<Sound> {
  const { speeches } = feature.store
  const settle = (state: SpeechPart['state'], problem: Problem | null, seconds: number | null): Promise<void> => {
    const audioBytes = run.begun ? run.receivedBytes : part.audioBytes
    const now = { part: part.part, state, problem, audioBytes, seconds }
    return untilWritten('A part of a speech', () => speeches.setPart(run.id, now), feature.closing)
  }
  run.asksFor(part.part)
  await settle('making', null, null)
  try {
    await ask(feature, run, part, task)
    const sound = await soundOfPart(feature, run.id, part.part, task.settings)
    if (task.first && sound.like !== task.first.like) {
      const words = `The service sent part ${part.part} as ${sound.like}, but the parts before as ${task.first.like}. They cannot be joined.`
      throw new StudioError('malformed_reply', words, { outputStarted: true, workPossible: true })
    }
    await settle('done', null, sound.seconds)
    return sound
  } catch (thrown) {
    const failure = asStudioError(thrown)
    // The row stays unchanged; the next start marks the speech as cut.
    if (run.ending === 'closing') throw failure
    // A cancelled part is not `failed` but `waiting`, so that `resume` requests it.
    const cancelled = run.ending === 'cancelled' || failure.kind === 'cancelled'
    await settle(cancelled ? 'waiting' : 'failed', cancelled ? null : failure.toProblem(), null)
    throw failure
  } finally {
    run.asksFor(0)
  }
}

/** Sends one request and writes its audio to the part's file. The file of an earlier attempt stays until the first byte arrives. */
async function ask(feature: SpeechFeature, run: SpeechRun, { part }: SpeechPart, task: Task): Promise<void> {
  const { speeches } = feature.store
  const closed = Promise.withResolvers<void>()
  let asked = false
  let file: GrowingPart | null = null
  try {
    const reply = await task.upstream.createSpeech(requestOf(task), {
      feature: 'speech',
      signal: run.abort.signal,
      onRow: (row) => {
        asked = true
        feature.store.pending.write(`speech row ${row}`, 'The request of a speech', () => {
          speeches.addRow(run.id, part, row)
          run.changes.notify()
        })
      },
      onClosed: () => closed.resolve(),
    })
    for await (const bytes of reply.bytes) {
      if (file === null) refuseWords(reply, bytes, task.settings.format)
      file ??= await begin(feature, run, part)
      run.grew(await file.append(bytes))
      if (run.receivedBytes > mostBytes)
        throw malformed('The service sent more audio than one part of a text can have.')
    }
    if (file === null) throw malformed('The service replied without any audio.')
    await file.sync()
  } finally {
    await file?.close()
    if (asked) {
      // The cost is known a moment later, when the connection is free again.
      await closed.promise
      await untilWritten('The cost of a speech', () => account(feature, run.id, part), feature.closing).catch(
        (thrown: unknown) => unexpected('The cost of a speech could not be written', thrown),
      )
    }
  }
}

async function begin({ media }: SpeechFeature, run: SpeechRun, part: number): Promise<GrowingPart> {
  const name = partName(run.id, part)
  await media.growing.discard(name)
  run.grew(0)
  return media.growing.grow(name, { durable: false })
}

/** Builds the request. Omits unset fields, so that the service uses its defaults. */
function requestOf({ input, settings: { model, voice, format, speed } }: Task): CreateSpeechRequest {
  return {
    input,
    ...(model !== null && { model }),
    ...(voice !== null && { voice }),
    response_format: format,
    ...(speed !== null && { speed }),
  }
}

/** Adds up all requests of a part, including earlier attempts. */
function account(feature: SpeechFeature, id: string, part: number): void {
  const { speeches, pending } = feature.store
  // The request's row may still be pending.
  pending.flush()
  const rows = speeches.parts(id).find((one) => one.part === part)?.rows ?? []
  const costs = rows.map((row): MakingCost => {
    try {
      return { ...feature.costOf(row), rows: [row] }
    } catch (thrown) {
      feature.log('error', `The cost of a speech could not be read: ${asStudioError(thrown).message}`)
      return { cost: null, costIs: 'unknown', rows: [row] }
    }
  })
  speeches.setCost(id, part, costOfAll(costs))
}

/** Rejects text, HTML or JSON sent with status 200. Accepts a wrong content type if the bytes have the signature of an audio format. */
function refuseWords({ facts }: ByteReply, bytes: Uint8Array, format: SpeechFormat): void {
  const type = facts.contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const words = type.startsWith('text/') || type === 'application/json' || type.endsWith('+json')
  if (!words || soundOf(bytes, format) !== 'pcm') return
  throw malformed(`The service replied with ${type} instead of audio.`)
}

async function soundOfPart(
  { media }: SpeechFeature,
  id: string,
  part: number,
  { format, pcmRate }: SpeechSettings,
): Promise<Sound> {
  const sound = readSound(await readFile(media.growing.pathOf(partName(id, part))), format, pcmRate)
  if (sound) return sound
  throw malformed(`The reply for part ${part} is not ${format} audio.`)
}

function malformed(words: string): StudioError {
  return new StudioError('malformed_reply', words, { outputStarted: true, workPossible: true })
}
