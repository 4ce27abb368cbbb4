import { chosenMicrophone } from './devices.ts'

/** Why recording is not possible. Each kind has a text in the namespace `audio`. */
export type MicTrouble = 'denied' | 'missing' | 'busy' | 'lost' | 'unsupported'

export class NoMicrophone extends Error {
  override readonly name = 'NoMicrophone'
  readonly trouble: MicTrouble

  constructor(trouble: MicTrouble, cause?: unknown) {
    super(`No microphone: ${trouble}`, { cause })
    this.trouble = trouble
  }
}

export interface ActiveRecording {
  /** For example `audio/webm;codecs=opus`. */
  mime: string
  /** The microphone's name. Empty when unknown. */
  device: string
  /** The current level, 0 to 1. */
  level(): number
  /** The peak of each 50 ms so far, 0 to 1, without pauses. Grows in place, do not change it. */
  peaks: readonly number[]
  /** Recorded time without pauses, ms. */
  elapsed(): number
  pause(): void
  resume(): void
  paused(): boolean
  /** Whether the device or the system currently sends silence, for example by a hardware switch. */
  muted(): boolean
  /** Resolves when the device disappears or recording fails. The sound up to then is preserved. Also resolves for late callers. */
  lost: Promise<void>
  /** Stops and returns the whole recording. All pieces have been passed on by then. */
  finish(): Promise<File>
  /** Stops and discards the recording. */
  cancel(): void
}

export interface RecordingOptions {
  /** Receives the sound since the previous piece, twice per second. */
  onPiece?: (piece: Blob) => void
  /** Called when `muted` changes. */
  onMuted?: (muted: boolean) => void
}

/** Recording formats in order of preference. The first supported one is used. */
const forms = [
  ['audio/webm;codecs=opus', 'webm'],
  ['audio/ogg;codecs=opus', 'ogg'],
  ['audio/mp4', 'm4a'],
  ['', 'webm'],
] as const

/** Bits per second: clear speech in Opus, and 7 MB per half hour. */
const bitRate = 32_000
/** Length of a piece, ms. A crash loses at most the piece being recorded and the piece being uploaded. */
const pieceEvery = 500
/** ms per bar of the live waveform. */
export const peakEvery = 50

/**
 * Starts a recording once the browser permits it. Uses the selected microphone, or the system default when that one is missing. Any failure
 * closes the microphone.
 * @throws NoMicrophone
 */
export async function startRecording(options: RecordingOptions = {}): Promise<ActiveRecording> {
  const stream = await openMicrophone()
  const track = stream.getAudioTracks()[0]
  const closing = new AbortController()
  closing.signal.addEventListener('abort', () => {
    for (const one of stream.getTracks()) one.stop()
  })
  try {
    // The device was unplugged after the browser's permission.
    if (track?.readyState !== 'live') throw new NoMicrophone('lost')
    return record(stream, track, options, closing)
  } catch (thrown) {
    const trouble = track?.readyState === 'live' ? 'unsupported' : 'lost'
    closing.abort()
    throw new NoMicrophone(trouble, thrown)
  }
}

/** @param closing its abort closes the microphone and all listeners */
function record(
  stream: MediaStream,
  track: MediaStreamTrack,
  { onPiece, onMuted }: RecordingOptions,
  closing: AbortController,
): ActiveRecording {
  const { signal } = closing
  const [type, extension] = forms.find(([form]) => form === '' || MediaRecorder.isTypeSupported(form)) ?? forms[3]
  const recorder = new MediaRecorder(stream, { ...(type !== '' && { mimeType: type }), audioBitsPerSecond: bitRate })
  const pieces: Blob[] = []
  recorder.ondataavailable = ({ data }) => {
    if (data.size === 0) return
    pieces.push(data)
    onPiece?.(data)
  }
  const stopped = new Promise<void>((resolve) => {
    recorder.onstop = () => resolve()
  })
  const lost = Promise.withResolvers<void>()
  track.addEventListener('ended', () => lost.resolve(), { signal })
  recorder.addEventListener('error', () => lost.resolve(), { signal })
  for (const change of ['mute', 'unmute']) track.addEventListener(change, () => onMuted?.(track.muted), { signal })
  const meter = listenTo(stream)
  signal.addEventListener('abort', meter.close)
  const clock = stopwatch()
  const peaks: number[] = []
  const drawing = setInterval(() => {
    if (recorder.state === 'recording') peaks.push(meter.peak())
  }, peakEvery)
  signal.addEventListener('abort', () => clearInterval(drawing))
  const end = (): void => {
    clock.stop()
    if (recorder.state !== 'inactive') recorder.stop()
    closing.abort()
  }
  recorder.start(pieceEvery)
  clock.start()
  return {
    mime: recorder.mimeType || type || 'audio/webm',
    device: track.label,
    level: meter.level,
    peaks,
    elapsed: clock.read,
    paused: () => recorder.state === 'paused',
    muted: () => track.muted,
    lost: lost.promise,
    pause() {
      if (recorder.state !== 'recording') return
      // Flushes the sound before the pause, so that its upload does not wait for the end of the pause.
      recorder.requestData()
      recorder.pause()
      clock.stop()
    },
    resume() {
      if (recorder.state !== 'paused') return
      recorder.resume()
      clock.start()
    },
    async finish() {
      end()
      await stopped
      return new File(pieces, `recording.${extension}`, { type: recorder.mimeType || type })
    },
    cancel() {
      recorder.ondataavailable = null
      end()
    },
  }
}

/**
 * Opens the selected microphone, with echo cancellation.
 * @throws NoMicrophone
 */
export async function openMicrophone(): Promise<MediaStream> {
  // Missing outside of a secure context, contrary to its type.
  const devices: MediaDevices | undefined = navigator.mediaDevices
  if (!devices?.getUserMedia || !('MediaRecorder' in globalThis)) throw new NoMicrophone('unsupported')
  const chosen = chosenMicrophone()
  try {
    return await devices.getUserMedia({
      audio: {
        echoCancellation: true,
        noiseSuppression: true,
        autoGainControl: true,
        // Not `exact`: when the device is unplugged, another one is better than no recording.
        ...(chosen !== '' && { deviceId: { ideal: chosen } }),
      },
    })
  } catch (thrown) {
    throw new NoMicrophone(troubleOf(thrown), thrown)
  }
}

/** Error names of the Media Capture specification, 10.3 (getUserMedia). */
function troubleOf(thrown: unknown): MicTrouble {
  const name = thrown instanceof Error ? thrown.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied'
  return name === 'NotFoundError' || name === 'OverconstrainedError' ? 'missing' : 'busy'
}

function stopwatch() {
  let gone = 0
  let since: number | null = null
  const read = (): number => gone + (since === null ? 0 : performance.now() - since)
  return {
    read,
    start: () => {
      since ??= performance.now()
    },
    stop: () => {
      gone = read()
      since = null
    },
  }
}

/** Browsers limit the number of audio contexts. Without a context, recording continues without a level. */
const silent = { close: () => undefined, level: () => 0, peak: () => 0 }

function listenTo(stream: MediaStream) {
  let context: AudioContext | null = null
  try {
    context = new AudioContext()
    return meterOf(context, stream)
  } catch {
    void context?.close()
    return silent
  }
}

function meterOf(context: AudioContext, stream: MediaStream) {
  // 43 ms at 48,000 samples per second, so that almost every sample is in at least one of two consecutive reads.
  const analyser = new AnalyserNode(context, { fftSize: 2048 })
  context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  return {
    close: () => void context.close(),
    level() {
      analyser.getFloatTimeDomainData(samples)
      let sum = 0
      for (const sample of samples) sum += sample * sample
      // Decibels from -60 (silence) to 0, as 0 to 1: perceived loudness.
      const decibels = 10 * Math.log10(sum / samples.length + 1e-12)
      return Math.min(1, Math.max(0, 1 + decibels / 60))
    },
    peak() {
      analyser.getFloatTimeDomainData(samples)
      let peak = 0
      for (const sample of samples) peak = Math.max(peak, Math.abs(sample))
      return Math.min(1, peak)
    },
  }
}
