import { NoMicrophone, openMicrophone } from '../../../shared/audio/recorder.ts'
import { wavHead } from '../../../shared/audio/wavePlayer.ts'
import type { CaptureReport, CaptureRequest } from './capture.worklet.ts'
// oxlint-disable-next-line import/default -- Vite makes the address.
import processorUrl from './capture.worklet.ts?worker&url'
import type { TurnInput } from './turnRecorder.ts'

/** Samples per second, as speech models expect. */
const wishedRate = 16_000

/** An open microphone whose sound is cut into turns. */
export interface TurnCaptureHandle {
  setInput(input: TurnInput): void
  hold(held: boolean): void
  /** While the program plays sound itself. */
  setGuarded(guarded: boolean): void
  /** 0 (silence) to 1. */
  level(): number
  close(): void
}

export interface CaptureEvents {
  onStarted: () => void
  onDiscarded: () => void
  /** The speech may have ended with this recording. More than once per turn. */
  onPause: (file: File) => void
  /**
   * @param spokeUntil when the speech ended, in the time of `performance.now`
   * @param asPaused whether this is the recording of the last pause
   */
  onTurn: (file: File, spokeUntil: number, asPaused: boolean) => void
  /** The device disappeared, or the audio thread failed. */
  onLost: () => void
  onMuted: (muted: boolean) => void
}

/**
 * Opens the microphone.
 * @param signal its abort closes the microphone, also while it opens
 * @throws NoMicrophone; the signal's reason
 */
export async function openCapture(
  input: TurnInput,
  events: CaptureEvents,
  signal: AbortSignal,
): Promise<TurnCaptureHandle> {
  const stream = await openMicrophone()
  const closing = new AbortController()
  let context: AudioContext | null = null
  const close = (): void => {
    closing.abort()
    for (const one of stream.getTracks()) one.stop()
    if (context && context.state !== 'closed') void context.close()
  }
  signal.addEventListener('abort', close, { signal: closing.signal })
  try {
    signal.throwIfAborted()
    const track = stream.getAudioTracks()[0]
    if (track?.readyState !== 'live') throw new NoMicrophone('lost')
    const made = connect(stream)
    context = made.context
    await made.context.audioWorklet.addModule(processorUrl)
    signal.throwIfAborted()
    const node = new AudioWorkletNode(made.context, 'turn-capture', {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: 'explicit',
    })
    made.source.connect(node)
    await made.context.resume()
    signal.throwIfAborted()
    const post = (request: CaptureRequest): void => node.port.postMessage(request)
    post({ type: 'input', input })
    let level = 0
    const { sampleRate } = made.context
    node.port.onmessage = ({ data }: MessageEvent<CaptureReport>) => {
      if (closing.signal.aborted) return
      if (data.type === 'level') level = Math.min(1, Math.max(0, 1 + data.level / 60))
      else if (data.type === 'started') events.onStarted()
      else if (data.type === 'discarded') events.onDiscarded()
      else if (data.type === 'paused') events.onPause(wavFile(data.samples, sampleRate))
      else events.onTurn(wavFile(data.samples, sampleRate), performance.now() - data.sinceSpeechMs, data.asPaused)
    }
    const lost = (): void => {
      close()
      events.onLost()
    }
    node.addEventListener('processorerror', lost, { signal: closing.signal })
    track.addEventListener('ended', lost, { signal: closing.signal })
    for (const change of ['mute', 'unmute']) {
      track.addEventListener(change, () => events.onMuted(track.muted), { signal: closing.signal })
    }
    events.onMuted(track.muted)
    return {
      setInput: (next) => post({ type: 'input', input: next }),
      hold: (held) => post({ type: 'hold', held }),
      setGuarded: (guarded) => post({ type: 'guarded', guarded }),
      level: () => level,
      close,
    }
  } catch (thrown) {
    close()
    signal.throwIfAborted()
    throw thrown instanceof NoMicrophone ? thrown : new NoMicrophone('unsupported', thrown)
  }
}

/** Firefox connects a microphone only to a context with the device's own rate. */
function connect(stream: MediaStream): { context: AudioContext; source: MediaStreamAudioSourceNode } {
  let context = new AudioContext({ sampleRate: wishedRate })
  try {
    return { context, source: context.createMediaStreamSource(stream) }
  } catch {
    void context.close()
    context = new AudioContext()
    return { context, source: context.createMediaStreamSource(stream) }
  }
}

const wavFile = (samples: Int16Array<ArrayBuffer>, rate: number): File =>
  new File([wavHead(samples.byteLength, rate), samples], 'turn.wav', { type: 'audio/wav' })
