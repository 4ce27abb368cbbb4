import { createStore, type StoreApi } from 'zustand/vanilla'
import { soundsAlone, soundsNoMore } from './exclusivePlayback.ts'
import type { Split, Splitter } from './livePackets.ts'
import { splitterFor } from './liveSplit.ts'

export interface LivePlayerState {
  /** `waiting`: more data is expected. `ended`: everything was played. */
  state: 'waiting' | 'playing' | 'paused' | 'ended' | 'failed'
  /** `time`: played, s. `seconds`: received, s. */
  time: number
  arrived: number
  /** The playing part, from 1. 0 before the start. */
  part: number
  /** ms from the first bytes to the first sound. Null before. */
  firstSoundMs: number | null
  /** Peak level per tenth of a second, 0 to 1. The array grows in place, `arrived` signals a change. */
  peaks: readonly number[]
  error: string | null
}

/** Plays a sound while its bytes arrive. */
export interface LivePlayer {
  state: StoreApi<LivePlayerState>
  /**
   * Adds bytes of a part, in order. Each part is a separate file. Resolves when more data is wanted, so that downloads do not run far ahead
   * of playback.
   */
  add(part: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  endPart(): Promise<void>
  /** Signals the end of all parts. */
  endAll(): void
  play(): void
  pause(): void
  close(): void
}

/** s of buffered sound. */
const maxAhead = 40
/** Packets in the decoder's queue. */
const maxWaiting = 64
/** s between the current time and the first scheduled sound of an empty queue. */
const leadIn = 0.02
/** Peak values per second. */
export const livePeaksASecond = 10

/**
 * The pipeline of all six formats: splits bytes into packets, decodes the packets (WebCodecs) and schedules the samples without gaps. The
 * audio context has the sound's own rate, so that nothing is resampled between packets.
 * @param rate of plain samples
 * @param expected sample rate for which the audio device is opened at once, because opening it takes up to 100 ms. Null opens it with the
 * first sound. A sound with another rate opens it again.
 */
export function openLive(mime: string, rate: number | null, expected: number | null = null): LivePlayer {
  const peaks: number[] = []
  const state = createStore<LivePlayerState>(() => ({
    state: 'waiting',
    time: 0,
    arrived: 0,
    part: 0,
    firstSoundMs: null,
    peaks,
    error: null,
  }))
  const closed = new AbortController()
  let context: AudioContext | null = null
  /** Start time of the next samples, in the context's time. */
  let next = 0
  /** s of the context's time without sound, including the time before the first sound. */
  let silent = 0
  let firstBytes: number | null = null
  let splitter: Splitter | null = null
  let decoder: AudioDecoder | null = null
  let part = 0
  let toSkip = 0
  /** Timestamp for the decoder, in microseconds. Only its order matters. */
  let given = 0
  let wantsPause = false
  let all = false
  let broken: Error | null = null
  const starts: { part: number; at: number }[] = []
  let partial = { top: 0, samples: 0 }

  const fail = (thrown: unknown): void => {
    if (closed.signal.aborted || broken) return
    broken = thrown instanceof Error ? thrown : new Error(String(thrown))
    state.setState({ state: 'failed', error: broken.message })
  }

  const wordNow = (ahead: number): LivePlayerState['state'] => {
    if (wantsPause || context?.state === 'suspended') return 'paused'
    return ahead > 0 ? 'playing' : all ? 'ended' : 'waiting'
  }
  const tick = (): void => {
    if (closed.signal.aborted || broken) return
    const now = context?.currentTime ?? 0
    const time = Math.max(0, Math.min(now, next) - silent)
    const word = wordNow(context ? next - now : 0)
    const { firstSoundMs } = state.getState()
    const first = time > 0 && firstBytes !== null ? performance.now() - firstBytes : null
    const playingPart = context ? (starts.findLast(({ at }) => at <= time + 0.01)?.part ?? 0) : 0
    state.setState({ time, part: playingPart, state: word, firstSoundMs: firstSoundMs ?? first })
    if (word === 'ended') clearInterval(timer)
  }
  const timer = setInterval(tick, 50)

  /** The context of all sounds. A waiting one with another rate is replaced before the first sound. */
  const openContext = (sampleRate: number): AudioContext => {
    const fits = context !== null && (context.sampleRate === sampleRate || starts.length > 0)
    if (context && fits) return context
    void context?.close()
    const opened = new AudioContext({ sampleRate, latencyHint: 'interactive' })
    context = opened
    if (wantsPause) void opened.suspend()
    opened.addEventListener('statechange', tick)
    return opened
  }
  const sound = (channels: Float32Array<ArrayBuffer>[], sampleRate: number): void => {
    const length = channels[0]?.length ?? 0
    if (length === 0 || closed.signal.aborted) return
    if (starts.length === 0) soundsAlone(state, pause)
    const output = openContext(sampleRate)
    const now = output.currentTime
    if (next < now + leadIn / 2) {
      silent += now + leadIn - next
      next = now + leadIn
    }
    const buffer = new AudioBuffer({ length, numberOfChannels: channels.length, sampleRate })
    for (const [index, samples] of channels.entries()) buffer.copyToChannel(samples, index)
    const source = new AudioBufferSourceNode(output, { buffer })
    source.connect(output.destination)
    const at = next - silent
    if (starts.at(-1)?.part !== part) starts.push({ part, at })
    source.start(next)
    // Rounded to whole samples, because a fraction would be audible as a click.
    next = Math.round((next + length / sampleRate) * sampleRate) / sampleRate
    measure(channels[0] ?? new Float32Array(0), sampleRate)
    state.setState({ arrived: next - silent })
    tick()
  }
  const measure = (samples: Float32Array, sampleRate: number): void => {
    const bucket = sampleRate / livePeaksASecond
    for (const sample of samples) {
      const value = Math.abs(sample)
      if (value > partial.top) partial.top = value
      if (++partial.samples >= bucket) {
        peaks.push(partial.top)
        partial = { top: 0, samples: 0 }
      }
    }
  }
  const decoded = (audio: AudioData): void => {
    const skip = Math.min(toSkip, audio.numberOfFrames)
    toSkip -= skip
    const channels = Array.from({ length: audio.numberOfChannels }, (_, planeIndex) => {
      const samples = new Float32Array(audio.numberOfFrames)
      audio.copyTo(samples, { planeIndex, format: 'f32-planar' })
      return samples.subarray(skip)
    })
    const { sampleRate } = audio
    audio.close()
    sound(channels, sampleRate)
  }
  const take = (from: Splitter, { packets, samples }: Split): void => {
    const plain = from.rate()
    if (samples.length > 0 && plain !== null) sound(samples, plain)
    const config = from.config()
    if (packets.length === 0 || !config) return
    if (!decoder) {
      if (!('AudioDecoder' in globalThis)) throw new Error('This browser has no AudioDecoder.')
      decoder = new AudioDecoder({ output: decoded, error: fail })
      decoder.configure(config)
      toSkip = from.skip()
    }
    for (const data of packets) {
      given += 1000
      const chunk = new EncodedAudioChunk({ type: 'key', timestamp: given, data })
      if (decoder.state === 'configured') decoder.decode(chunk)
    }
  }
  const waitUntilNeeded = async (): Promise<void> => {
    const full = (): boolean =>
      (decoder?.decodeQueueSize ?? 0) > maxWaiting || (context !== null && next - context.currentTime > maxAhead)
    while (!closed.signal.aborted && !broken && full()) {
      await new Promise<void>((resolve) => {
        const on = (): void => {
          clearTimeout(waiting)
          closed.signal.removeEventListener('abort', on)
          resolve()
        }
        const waiting = setTimeout(on, 100)
        closed.signal.addEventListener('abort', on)
      })
    }
    // A sound that cannot be played must not block the caller of `add`.
    closed.signal.throwIfAborted()
  }
  const pause = (): void => {
    wantsPause = true
    void context?.suspend().then(tick)
    tick()
  }
  const attempt = (action: () => void): void => {
    if (closed.signal.aborted || broken) return
    try {
      action()
    } catch (thrown) {
      fail(thrown)
    }
  }

  if (expected !== null) openContext(expected)

  return {
    state,
    async add(to, bytes) {
      firstBytes ??= performance.now()
      attempt(() => {
        if (!splitter) {
          splitter = splitterFor(mime, rate)
          part = to
        }
        take(splitter, splitter.push(bytes))
      })
      await waitUntilNeeded()
    },
    async endPart() {
      attempt(() => splitter && take(splitter, splitter.end()))
      splitter = null
      const ended = decoder
      decoder = null
      if (ended?.state === 'configured') await ended.flush().catch(fail)
      if (ended && ended.state !== 'closed') ended.close()
    },
    endAll() {
      all = true
      tick()
    },
    play() {
      wantsPause = false
      if (context) soundsAlone(state, pause)
      void context?.resume().then(tick)
    },
    pause,
    close() {
      closed.abort()
      clearInterval(timer)
      soundsNoMore(state)
      if (decoder && decoder.state !== 'closed') decoder.close()
      void context?.close()
    },
  }
}
