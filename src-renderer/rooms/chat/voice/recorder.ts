/** Why nothing can be recorded; each has words and one thing to do. */
export type MicTrouble = 'denied' | 'missing' | 'busy' | 'unsupported'

export class NoMicrophone extends Error {
  override readonly name = 'NoMicrophone'
  readonly trouble: MicTrouble

  constructor(trouble: MicTrouble, cause?: unknown) {
    super(`No microphone: ${trouble}`, { cause })
    this.trouble = trouble
  }
}

export interface Recording {
  /** 0 to 1, now. */
  level(): number
  /** Ends it and answers what was recorded. */
  finish(): Promise<File>
  /** Ends it and forgets it. */
  cancel(): void
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

/**
 * Starts to record, once the browser lets us. `onLost` is told when the device goes away in the middle; what was said stays.
 * @throws NoMicrophone
 */
export async function startRecording(onLost: () => void): Promise<Recording> {
  const stream = await openMicrophone()
  const { context, level } = levelOf(stream)
  const [type, extension] = forms.find(([form]) => form === '' || MediaRecorder.isTypeSupported(form)) ?? forms[3]
  const recorder = new MediaRecorder(stream, { ...(type !== '' && { mimeType: type }), audioBitsPerSecond: bitRate })
  const pieces: Blob[] = []
  recorder.ondataavailable = ({ data }) => {
    if (data.size > 0) pieces.push(data)
  }
  const stopped = new Promise<void>((resolve) => {
    recorder.onstop = () => resolve()
  })
  const track = stream.getAudioTracks()[0]
  track?.addEventListener('ended', onLost)
  const end = (): void => {
    track?.removeEventListener('ended', onLost)
    if (recorder.state !== 'inactive') recorder.stop()
    for (const one of stream.getTracks()) one.stop()
    void context.close()
  }
  // Pieces of a second: what was said so far is there whatever happens.
  recorder.start(1000)
  return {
    level,
    async finish() {
      end()
      await stopped
      return new File(pieces, `dictation.${extension}`, { type: recorder.mimeType || type })
    },
    cancel: end,
  }
}

async function openMicrophone(): Promise<MediaStream> {
  // Missing outside of a secure context, whatever the types say.
  const devices: MediaDevices | undefined = navigator.mediaDevices
  if (!devices?.getUserMedia || !('MediaRecorder' in globalThis)) throw new NoMicrophone('unsupported')
  try {
    return await devices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
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

function levelOf(stream: MediaStream): { context: AudioContext; level: () => number } {
  const context = new AudioContext()
  const analyser = new AnalyserNode(context, { fftSize: 1024 })
  context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  return {
    context,
    level() {
      analyser.getFloatTimeDomainData(samples)
      let sum = 0
      for (const sample of samples) sum += sample * sample
      // Decibels from -60 (silence) to 0, as 0 to 1: loudness as it is heard.
      const decibels = 10 * Math.log10(sum / samples.length + 1e-12)
      return Math.min(1, Math.max(0, 1 + decibels / 60))
    },
  }
}
