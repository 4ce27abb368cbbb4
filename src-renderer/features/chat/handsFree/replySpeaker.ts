import { speechEvent } from '../../../../src-preload/contract/media.ts'
import { problemOf } from '../../../api/problem.ts'
import { readStream } from '../../../api/transfer.ts'
import { type LivePlayer, openLive } from '../../../shared/audio/livePlayer.ts'
import { client } from '../client.ts'
import { speakable } from '../voice/speakable.ts'
import { hasWords, nextChunk, type ReplyChunk } from './replyChunks.ts'

export interface ReplySpeakerEvents {
  /** The first piece is complete and is requested now. */
  onFirstPiece: () => void
  onFirstSound: () => void
  /** Everything was played. */
  onEnd: () => void
  /** `spoken`: end of the part of the reply that was requested successfully. */
  onFailure: (thrown: unknown, spoken: number) => void
}

/** Samples per second of most speech models. A wrong guess costs the time of opening the audio device. */
const usualRate = 24_000

/** Speaks a reply while its text arrives. */
export interface ReplySpeaker {
  /** The whole text so far. `done`: nothing more follows. */
  update(reply: string, done: boolean): void
  pause(): void
  resume(): void
  /** Silence at once, and cancels the running request. */
  stop(): void
}

/**
 * Requests the speech of a reply sentence by sentence: the first sentence as soon as it is complete, and each further piece while the
 * previous one plays. Only one piece is requested ahead of playback, because an interrupted reply is paid for in vain.
 * @param from where to begin in the text
 */
export function speakReply(events: ReplySpeakerEvents, from = 0): ReplySpeaker {
  const ended = new AbortController()
  const { signal } = ended
  const player = openLive('audio/mpeg', null, usualRate)
  let reply = ''
  let done = false
  let paused = false
  let wake: (() => void) | null = null
  let at = from
  let heard = false
  const stop = (): void => {
    ended.abort()
    player.close()
  }
  const fail = (thrown: unknown): void => {
    if (signal.aborted) return
    stop()
    events.onFailure(thrown, at)
  }
  const wakeUp = (): void => {
    wake?.()
    wake = null
  }
  signal.addEventListener('abort', wakeUp)
  const unsubscribe = player.state.subscribe(({ state, error }) => {
    if (signal.aborted) return
    wakeUp()
    if (state === 'playing' && !heard) {
      heard = true
      events.onFirstSound()
    }
    if (state === 'failed') fail(new Error(error ?? 'The received audio cannot be played.'))
    if (state === 'ended') finish()
    // Another sound of this window has paused this one and ends before the person hears the rest.
    if (state === 'paused' && !paused) player.play()
  })
  signal.addEventListener('abort', unsubscribe)
  void run(player).catch(fail)

  async function run(output: LivePlayer): Promise<void> {
    let part = 0
    for (;;) {
      signal.throwIfAborted()
      const chunk = nextChunk(reply, at, done, part > 0)
      if (!chunk && done) break
      if (!chunk || (hasWords(chunk) && isAhead(output, part))) await changed()
      else part = await take(output, chunk, part)
    }
    output.endAll()
    // Without any words there is no sound whose end could be noticed.
    if (part === 0) finish()
  }

  /** @returns the number of pieces with sound so far */
  async function take(output: LivePlayer, chunk: ReplyChunk, before: number): Promise<number> {
    const part = hasWords(chunk) ? before + 1 : before
    if (part > before) {
      if (part === 1) events.onFirstPiece()
      await speakPiece(chunk.text, part, output.add).catch(skipIfEmpty)
      await output.endPart()
    }
    at = chunk.to
    return part
  }

  function finish(): void {
    if (signal.aborted) return
    stop()
    events.onEnd()
  }

  function changed(): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve
    })
  }

  /** Text that is only markup contains nothing to read aloud. */
  function skipIfEmpty(thrown: unknown): void {
    if (problemOf(thrown).kind !== 'bad_input') throw thrown
  }

  async function speakPiece(text: string, part: number, add: LivePlayer['add']): Promise<void> {
    const core = client()
    if (!core) throw new Error('The connection to Inference Studio is lost.')
    const stream = await core.voice.speak({ text: speakable(text) }, { signal })
    for await (const event of readStream(stream, speechEvent, signal)) {
      if (event.type === 'audio') await add(part, event.data)
    }
  }

  return {
    update(text, complete) {
      reply = text
      done = complete
      wakeUp()
    },
    pause() {
      paused = true
      player.pause()
    },
    resume() {
      paused = false
      player.play()
    },
    stop,
  }
}

/** Whether the requested piece `part` is not played yet. A piece may also be without sound. */
function isAhead({ state }: LivePlayer, part: number): boolean {
  const played = state.getState()
  return played.part < part && played.state !== 'waiting'
}
