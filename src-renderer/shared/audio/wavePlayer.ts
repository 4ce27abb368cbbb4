import { createStore, type StoreApi } from 'zustand/vanilla'
import { soundsAlone, soundsNoMore } from './exclusivePlayback.ts'

/** The header that turns plain samples (16 bits, little-endian, mono) into a WAVE file. */
export function wavHead(bytes: number, rate: number): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(44)
  const view = new DataView(head.buffer)
  const word = (at: number, text: string): void => head.set(new TextEncoder().encode(text), at)
  word(0, 'RIFF')
  view.setUint32(4, 36 + bytes, true)
  word(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  word(36, 'data')
  view.setUint32(40, bytes, true)
  return head
}

/** Makes the plain samples of a stored file playable by an audio element. The caller revokes the URL. */
async function playablePcm(address: string, rate: number, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { signal })
  if (!response.ok) throw new Error(`The file cannot be read: ${response.status}.`)
  const samples = await response.blob()
  return URL.createObjectURL(new Blob([wavHead(samples.size, rate), samples], { type: 'audio/wav' }))
}

/** s */
export interface Loop {
  from: number
  to: number
}

export interface WaveState {
  /** Duration, s. 0 while unknown. */
  seconds: number
  time: number
  playing: boolean
  speed: number
  loop: Loop | null
  /** Whether the sound can be played. */
  ready: boolean
  /** `gone`: the file no longer exists. `unplayable`: this browser has no decoder. `lost`: loading failed. */
  trouble: 'gone' | 'unplayable' | 'lost' | null
}

export interface WavePlayer {
  audio: HTMLAudioElement
  state: StoreApi<WaveState>
  play(): void
  pause(): void
  toggle(): void
  /** s, limited to the duration. */
  seek(time: number): void
  setSpeed(speed: number): void
  /** Null removes the loop. An empty or very short loop counts as null. */
  setLoop(loop: Loop | null): void
  /** Sets the known duration, s, because the audio element only guesses the duration of some formats. */
  setSeconds(seconds: number): void
  retry(): void
  close(): void
}

export const waveSpeeds: readonly number[] = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]

/** Minimum length of a loop, s. A shorter loop would sound like a hum. */
const shortestLoop = 0.1

/**
 * Plays one stored file.
 * @param onTime called at each frame during playback, and after each seek
 */
export function openWavePlayer(
  address: string,
  { pcmRate, seconds }: { pcmRate: number | null; seconds: number | null },
  onTime: (time: number) => void,
): WavePlayer {
  const audio = new Audio()
  const closed = new AbortController()
  const state = createStore<WaveState>(() => ({
    seconds: seconds ?? 0,
    time: 0,
    playing: false,
    speed: 1,
    loop: null,
    ready: false,
    trouble: null,
  }))
  let givenSeconds = seconds ?? 0
  let made: string | null = null
  let frame = 0

  const at = (): void => {
    const { loop } = state.getState()
    let time = audio.currentTime
    if (loop && !audio.paused && time >= loop.to) {
      audio.currentTime = loop.from
      time = loop.from
    }
    state.setState({ time })
    onTime(time)
  }
  const follow = (): void => {
    at()
    frame = requestAnimationFrame(follow)
  }
  const measure = (): void => {
    const own = audio.duration
    const known = Number.isFinite(own) && own > 0 ? own : 0
    state.setState({ seconds: givenSeconds || known })
  }
  const load = async (): Promise<void> => {
    state.setState({ trouble: null })
    try {
      if (pcmRate !== null && made === null) made = await playablePcm(address, pcmRate, closed.signal)
    } catch {
      if (!closed.signal.aborted) state.setState({ trouble: await whyNot(address) })
      return
    }
    if (closed.signal.aborted) return
    audio.src = made ?? address
    audio.load()
  }
  const on = (name: keyof HTMLMediaElementEventMap, action: () => void): void =>
    audio.addEventListener(name, action, { signal: closed.signal })

  audio.preload = 'metadata'
  on('loadedmetadata', () => {
    state.setState({ ready: true })
    measure()
  })
  on('durationchange', measure)
  on('play', () => {
    soundsAlone(state, () => audio.pause())
    state.setState({ playing: true })
    cancelAnimationFrame(frame)
    follow()
  })
  const still = (): void => {
    cancelAnimationFrame(frame)
    state.setState({ playing: false })
    at()
  }
  on('pause', still)
  on('ended', () => {
    still()
    const { loop } = state.getState()
    if (!loop) return
    audio.currentTime = loop.from
    play()
  })
  // A hidden window has no animation frames, but still has this event.
  on('timeupdate', at)
  on('seeked', at)
  on('error', () => {
    if (!audio.getAttribute('src')) return
    void whyNot(address).then((trouble) => closed.signal.aborted || state.setState({ trouble, playing: false }))
  })

  const play = (): void => {
    const { loop } = state.getState()
    if (loop && (audio.currentTime < loop.from || audio.currentTime >= loop.to)) audio.currentTime = loop.from
    // The error event reports failures. An early pause is not a failure.
    audio.play().catch(() => undefined)
  }
  void load()
  return {
    audio,
    state,
    play,
    pause: () => audio.pause(),
    toggle: () => (audio.paused ? play() : audio.pause()),
    seek(time) {
      const { seconds: length } = state.getState()
      audio.currentTime = Math.min(Math.max(0, time), length || Math.max(0, time))
      at()
    },
    setSpeed(speed) {
      audio.defaultPlaybackRate = speed
      audio.playbackRate = speed
      state.setState({ speed })
    },
    setLoop(loop) {
      const { seconds: length } = state.getState()
      if (!loop) return state.setState({ loop: null })
      const from = Math.max(0, Math.min(loop.from, loop.to))
      const to = Math.min(length || Number.POSITIVE_INFINITY, Math.max(loop.from, loop.to))
      state.setState({ loop: to - from < shortestLoop ? null : { from, to } })
    },
    setSeconds(known) {
      givenSeconds = known
      measure()
    },
    retry: () => void load(),
    close() {
      closed.abort()
      cancelAnimationFrame(frame)
      soundsNoMore(state)
      audio.pause()
      audio.removeAttribute('src')
      audio.load()
      if (made !== null) URL.revokeObjectURL(made)
    },
  }
}

async function whyNot(address: string): Promise<'gone' | 'unplayable' | 'lost'> {
  if (address.startsWith('blob:')) return 'unplayable'
  try {
    const { status, ok } = await fetch(address, { method: 'HEAD' })
    return status === 404 ? 'gone' : ok ? 'unplayable' : 'lost'
  } catch {
    return 'lost'
  }
}
