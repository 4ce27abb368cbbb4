import { frameMs, SpeechDetector } from './speechDetector.ts'

/** How a turn starts and ends: by speech and pauses, or while the person holds a button. */
export type TurnInput = 'automatic' | 'hold'

/** The pause that ends a turn, ms. Shorter cuts people off, longer delays every answer. */
export const turnPauseMs = 450
/** Longest turn, ms. Then it ends as after a pause. 3.8 MB at 16,000 samples per second. */
export const longestTurnMs = 120_000
/** Recorded sound before the first loud frame and after the last audible one, ms. */
const marginMs = { before: 300, after: 200 }

/** Longest recording that is reported at each pause, ms. Longer ones would be copied and uploaded too often. */
const longestPausedMs = 30_000
/**
 * Least voiced time of a turn by speech, and least loud time of a held turn, ms. "No" has about 150 ms. In a held turn whispering counts,
 * because the person has said that this is a turn.
 */
const leastMs = { voiced: 100, loud: 100 }

export type TurnEvent =
  | { type: 'started' }
  /** The speech may have ended. Without more sound the turn has exactly these `samples`, so that their upload need not wait for the pause. */
  | { type: 'paused'; samples: Int16Array<ArrayBuffer> }
  /**
   * `samples`: mono, 16 bits. `sinceSpeechMs`: time since the last audible frame. `asPaused`: the samples are those of the last `paused`
   * event of this turn.
   */
  | { type: 'ended'; samples: Int16Array<ArrayBuffer>; sinceSpeechMs: number; asPaused: boolean }
  /** The recorded sound was no speech. */
  | { type: 'discarded' }

/**
 * Cuts a microphone's sound into turns. Silence between the turns is dropped: only the last 300 ms are held, so that a turn has its first
 * syllable.
 */
export class TurnRecorder {
  input: TurnInput = 'automatic'
  readonly #detector: SpeechDetector
  readonly #frame: Float32Array
  #filled = 0
  /** Frames of the running turn, or the last frames before one. */
  #frames: Int16Array<ArrayBuffer>[] = []
  #running = false
  #held = false
  #sinceAudible = 0
  #loud = 0
  #voiced = 0
  /** Number of frames at the last `paused` event of this turn. */
  #pausedAt: number | null = null
  level = 0

  /** @param rate samples per second */
  constructor(rate: number) {
    this.#detector = new SpeechDetector(rate)
    this.#frame = new Float32Array(Math.round((rate * frameMs) / 1000))
  }

  /** While the program plays sound itself. */
  set guarded(guarded: boolean) {
    this.#detector.guarded = guarded
  }

  /** The button of the input `hold`. A turn ends shortly after the release, because people release during the last syllable. */
  hold(held: boolean): TurnEvent[] {
    if (this.input !== 'hold' || held === this.#held) return []
    this.#held = held
    this.#sinceAudible = 0
    if (!held || this.#running) return []
    this.#frames = this.#frames.slice(-marginMs.after / frameMs)
    this.#begin()
    return [{ type: 'started' }]
  }

  /** Drops the running turn without an event. */
  drop(): void {
    this.#running = false
    this.#held = false
    this.#frames = []
    this.#detector.restart()
  }

  /** @param samples mono, -1 to 1, any number */
  push(samples: Float32Array): TurnEvent[] {
    const events: TurnEvent[] = []
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + this.#frame.length - this.#filled)
      this.#frame.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled < this.#frame.length) continue
      this.#filled = 0
      const event = this.#take()
      if (event) events.push(event)
    }
    return events
  }

  #take(): TurnEvent | null {
    const seen = this.#detector.take(this.#frame)
    this.level = seen.level
    this.#frames.push(Int16Array.from(this.#frame, (sample) => Math.max(-1, Math.min(1, sample)) * 32_767))
    if (!this.#running) {
      if (this.input === 'automatic' && seen.starts) {
        this.#begin()
        // The frames that started the turn count, or a single short word would be too short.
        this.#voiced = seen.voicedFrames
        return { type: 'started' }
      }
      // The start rule looks back 200 to 300 ms.
      this.#frames = this.#frames.slice(-(marginMs.before + 300) / frameMs)
      return null
    }
    this.#sinceAudible = seen.audible ? 0 : this.#sinceAudible + 1
    if (seen.loud) this.#loud += 1
    if (seen.voiced) this.#voiced += 1
    if (this.#frames.length * frameMs >= longestTurnMs) return this.#end(this.#voiced)
    if (this.input === 'hold') return this.#takeHeld()
    if (this.#sinceAudible * frameMs >= turnPauseMs) return this.#end(this.#voiced)
    return this.#sinceAudible * frameMs === marginMs.after ? this.#pause() : null
  }

  #pause(): TurnEvent | null {
    const enough = this.#voiced * frameMs >= leastMs.voiced
    if (!enough || this.#frames.length * frameMs > longestPausedMs) return null
    this.#pausedAt = this.#frames.length
    return { type: 'paused', samples: joined(this.#frames) }
  }

  #afterRelease = 0
  #takeHeld(): TurnEvent | null {
    this.#afterRelease = this.#held ? 0 : this.#afterRelease + 1
    return this.#afterRelease * frameMs >= marginMs.after ? this.#end(null) : null
  }

  #begin(): void {
    this.#running = true
    this.#sinceAudible = 0
    this.#afterRelease = 0
    this.#loud = 0
    this.#voiced = 0
    this.#pausedAt = null
  }

  /** @param voiced frames; null for a held turn, which needs no voice */
  #end(voiced: number | null): TurnEvent {
    const frames = this.#frames
    const since = this.#sinceAudible
    const enough = voiced === null ? this.#loud * frameMs >= leastMs.loud : voiced * frameMs >= leastMs.voiced
    this.drop()
    if (!enough) return { type: 'discarded' }
    const surplus = Math.max(0, since - marginMs.after / frameMs)
    const kept = frames.slice(0, frames.length - surplus)
    const asPaused = kept.length === this.#pausedAt
    return { type: 'ended', samples: joined(kept), sinceSpeechMs: since * frameMs, asPaused }
  }
}

function joined(frames: readonly Int16Array[]): Int16Array<ArrayBuffer> {
  const samples = new Int16Array(frames.reduce((sum, frame) => sum + frame.length, 0))
  let at = 0
  for (const frame of frames) {
    samples.set(frame, at)
    at += frame.length
  }
  return samples
}
