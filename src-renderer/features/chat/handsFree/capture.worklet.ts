import { type TurnEvent, type TurnInput, TurnRecorder } from './turnRecorder.ts'

/** What the page asks of the worklet. */
export type CaptureRequest =
  | { type: 'input'; input: TurnInput }
  | { type: 'hold'; held: boolean }
  | { type: 'guarded'; guarded: boolean }

/** What the worklet reports. `level` in dBFS, ten times a second. */
export type CaptureReport = TurnEvent | { type: 'level'; level: number }

// The global scope of a worklet, which the compiler's library does not describe.
declare const sampleRate: number
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}

/** Finds turns on the audio thread, so that a busy page misses no sound, and silence never leaves this thread. */
class TurnCapture extends AudioWorkletProcessor {
  readonly #recorder = new TurnRecorder(sampleRate)
  #sinceLevel = 0

  constructor() {
    super()
    this.port.onmessage = ({ data }: MessageEvent<CaptureRequest>) => {
      if (data.type === 'input') {
        this.#recorder.input = data.input
        this.#recorder.drop()
      } else if (data.type === 'guarded') this.#recorder.guarded = data.guarded
      else this.#report(this.#recorder.hold(data.held))
    }
  }

  process([input]: Float32Array[][]): boolean {
    const samples = input?.[0]
    // A microphone that is muted by the system delivers no channel.
    if (!samples) return true
    this.#report(this.#recorder.push(samples))
    this.#sinceLevel += samples.length
    if (this.#sinceLevel >= sampleRate / 10) {
      this.#sinceLevel = 0
      this.#report([{ type: 'level', level: this.#recorder.level }])
    }
    return true
  }

  #report(reports: readonly CaptureReport[]): void {
    for (const report of reports) {
      this.port.postMessage(report, 'samples' in report ? [report.samples.buffer] : [])
    }
  }
}

registerProcessor('turn-capture', TurnCapture)
