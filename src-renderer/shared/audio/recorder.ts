import { chosenMicrophone } from './devices.ts'

/** Why nothing can be recorded; each has words and one thing to do. */
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
  /** Such as `audio/webm;codecs=opus`. */
  mime: string
  /** The microphone's name as the system tells it; empty where it does not. */
  device: string
  /** 0 to 1, now. */
  level(): number
  /** The loudest of each 50 ms so far, 0 to 1, pauses left out. It grows; don't change it. */
  peaks: readonly number[]
  /** ms that were recorded, pauses left out. */
  elapsed(): number
  pause(): void
  resume(): void
  paused(): boolean
  /** The device or the system gives silence instead of sound just now, such as by a switch on the microphone. */
  muted(): boolean
  /** Resolves when the device goes away or recording fails; what was said until then stays. Also for a caller that looks later. */
  lost: Promise<void>
  /** Ends it and answers all that was recorded; the last piece has been told by then. */
  finish(): Promise<File>
  /** Ends it and forgets it. */
  cancel(): void
}

export interface RecordingOptions {
  /** What was recorded since the piece before, twice a second. */
  onPiece?: (piece: Blob) => void
  /** `Recording.muted` changed. */
  onMuted?: (muted: boolean) => void
}

/** What browsers record, the first that this one can. */
const forms = [
  ['audio/webm;codecs=opus', 'webm'],
  ['audio/ogg;codecs=opus', 'ogg'],
  ['audio/mp4', 'm4a'],
  ['', 'webm'],
] as const

/** Bits a second: speech in Opus is clear at this, and half an hour of it is 7 MB. */
const bitRate = 32_000
/** ms. What a crash can lose is one piece that is being recorded and one that is on its way. */
const pieceEvery = 500
/** ms of one bar of the picture of it. */
export const peakEvery = 50

/**
 * Starts to record from the microphone that was chosen, once the browser lets us; from the system's own where that one is not there.
 * Whatever fails, the microphone is closed again.
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
    // Unplugged between the browser's yes and now.
    if (track?.readyState !== 'live') throw new NoMicrophone('lost')
    return record(stream, track, options, closing)
  } catch (thrown) {
    const trouble = track?.readyState === 'live' ? 'unsupported' : 'lost'
    closing.abort()
    throw new NoMicrophone(trouble, thrown)
  }
}

/** @param closing aborted, it closes the microphone and everything that listens to it */
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
      // What was said is told before the silence, however long that lasts.
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

async function openMicrophone(): Promise<MediaStream> {
  // Missing outside of a secure context, whatever the types say.
  const devices: MediaDevices | undefined = navigator.mediaDevices
  if (!devices?.getUserMedia || !('MediaRecorder' in globalThis)) throw new NoMicrophone('unsupported')
  const chosen = chosenMicrophone()
  try {
    return await devices.getUserMedia({
      audio: {
        echoCancellation: true,
        noiseSuppression: true,
        autoGainControl: true,
        // Not `exact`: one that was unplugged since is no reason to record nothing.
        ...(chosen !== '' && { deviceId: { ideal: chosen } }),
      },
    })
  } catch (thrown) {
    throw new NoMicrophone(troubleOf(thrown), thrown)
  }
}

/** Names of the Media Capture specification, 10.3 (getUserMedia). */
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

/** Where a browser gives no context (it allows a few only), the recording goes on without a level. */
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
  // 43 ms at 48,000 a second: what lies between two looks at the peak is heard by one of them, nearly.
  const analyser = new AnalyserNode(context, { fftSize: 2048 })
  context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  return {
    close: () => void context.close(),
    level() {
      analyser.getFloatTimeDomainData(samples)
      let sum = 0
      for (const sample of samples) sum += sample * sample
      // Decibels from -60 (silence) to 0, as 0 to 1: loudness as it is heard.
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
