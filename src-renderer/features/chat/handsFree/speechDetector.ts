/** Length of one frame, ms. All decisions are made per frame. */
export const frameMs = 20

/** The level of digital silence, and the lowest noise floor that is assumed, dBFS. A lower floor would make faint hiss count as loud. */
const lowestFloor = -70
/** How far above the noise floor sound must be to start speech, dB. */
const startAbove = 12
/** How far above the noise floor sound must stay to continue speech, dB. Lower than `startAbove`, so that soft syllables do not end it. */
const continueAbove = 7
/** Added to `startAbove` while the program itself plays sound, of which echo cancellation leaves a residue, dB. */
const guardedAbove = 6

/** Speech starts when of the last `frames` frames at least `loud` are loud and at least `voiced` are loud and voiced. */
const startRule = { frames: 10, loud: 6, voiced: 4 }
/** While the program plays sound: 300 ms instead of 200 ms. */
const guardedRule = { frames: 15, loud: 10, voiced: 7 }

/** The noise floor is the lowest level of the last 12 blocks of 10 frames (2.4 s). Speech has gaps that are shorter than that. */
const blockFrames = 10
const blocks = 12

/** The range of the human voice's fundamental frequency, Hz. */
const lowestPitch = 70
const highestPitch = 400
/** Similarity of a signal with itself one period later, from which a frame counts as voiced. Noise stays below 0.3. */
const voicedFrom = 0.6

/** What the detector knows about one frame. */
export interface DetectedFrame {
  /** Above the start threshold. */
  loud: boolean
  /** Above the threshold that continues speech. */
  audible: boolean
  /** Loud and with the periodicity of a voice. */
  voiced: boolean
  /** Voiced frames among the last 200 ms, 300 ms while guarded. */
  voicedFrames: number
  /** Whether the start rule holds. */
  starts: boolean
  /** dBFS. */
  level: number
}

/**
 * Finds speech in frames of 20 ms by two thresholds above an adaptive noise floor (minimum statistics) and by the periodicity of voiced
 * sounds. Steady noise raises the floor, clicks are too short, and hiss is not periodic. Whispering has no voiced sounds and does not start
 * a turn. Cost: about 30,000 multiplications per frame.
 * @see R. Martin, Noise power spectral density estimation based on optimal smoothing and minimum statistics, 2001
 */
export class SpeechDetector {
  /** Set while the program plays sound itself: a turn then needs a louder and longer voice. */
  guarded = false
  readonly #highPass: HighPass
  readonly #voice: VoicedFrames
  /** The lowest level of each block, the running block last. */
  readonly #lows: number[] = [Number.POSITIVE_INFINITY]
  #inBlock = 0
  #smooth: number | null = null
  #recent: { loud: boolean; voiced: boolean }[] = []

  /** @param rate samples per second, at least 8,000 */
  constructor(rate: number) {
    this.#highPass = new HighPass(rate)
    this.#voice = new VoicedFrames(rate)
  }

  /** The estimated noise floor, dBFS. */
  get floor(): number {
    return Math.max(lowestFloor, Math.min(...this.#lows))
  }

  /** @param samples one frame, -1 to 1 */
  take(samples: Float32Array): DetectedFrame {
    const filtered = this.#highPass.filter(samples)
    let sum = 0
    for (const sample of filtered) sum += sample * sample
    const level = 10 * Math.log10(sum / filtered.length + 1e-10)
    this.#learn(level)
    const { floor } = this
    const loud = level > floor + startAbove + (this.guarded ? guardedAbove : 0)
    const voiced = this.#voice.take(filtered) && loud
    const rule = this.guarded ? guardedRule : startRule
    this.#recent = [...this.#recent, { loud, voiced }].slice(-guardedRule.frames)
    const seen = this.#recent.slice(-rule.frames)
    const voicedFrames = seen.filter((frame) => frame.voiced).length
    const starts = voicedFrames >= rule.voiced && seen.filter((frame) => frame.loud).length >= rule.loud
    return { loud, audible: level > floor + continueAbove, voiced, voicedFrames, starts, level }
  }

  /** Forgets the last frames, so that the end of one turn does not start the next. The noise floor stays. */
  restart(): void {
    this.#recent = []
  }

  #learn(level: number): void {
    this.#smooth = this.#smooth === null ? level : this.#smooth * 0.6 + level * 0.4
    const last = this.#lows.length - 1
    this.#lows[last] = Math.min(this.#lows[last] ?? level, this.#smooth)
    if (++this.#inBlock < blockFrames) return
    this.#inBlock = 0
    this.#lows.push(this.#smooth)
    if (this.#lows.length > blocks) this.#lows.shift()
  }
}

/** Removes offset and hum below 90 Hz. */
class HighPass {
  readonly #factor: number
  #before = 0
  #out = 0

  constructor(rate: number) {
    this.#factor = 1 / (1 + (2 * Math.PI * 90) / rate)
  }

  filter(samples: Float32Array): Float32Array {
    const filtered = new Float32Array(samples.length)
    for (const [at, sample] of samples.entries()) {
      this.#out = this.#factor * (this.#out + sample - this.#before)
      this.#before = sample
      filtered[at] = this.#out
    }
    return filtered
  }
}

/** Decides for each frame whether the last 40 ms repeat with the period of a voice, by their normalized autocorrelation at about 8 kHz. */
class VoicedFrames {
  readonly #step: number
  readonly #shortest: number
  readonly #longest: number
  #window: Float32Array

  constructor(rate: number) {
    this.#step = Math.max(1, Math.round(rate / 8_000))
    const reduced = rate / this.#step
    this.#shortest = Math.floor(reduced / highestPitch)
    this.#longest = Math.ceil(reduced / lowestPitch)
    this.#window = new Float32Array(2 * Math.floor((reduced * frameMs) / 1000))
  }

  take(samples: Float32Array): boolean {
    const step = this.#step
    const added = Math.floor(samples.length / step)
    const window = this.#window
    window.copyWithin(0, added)
    for (let at = 0; at < added; at++) {
      let sum = 0
      for (let within = 0; within < step; within++) sum += samples[at * step + within] ?? 0
      window[window.length - added + at] = sum / step
    }
    // Low-passed noise is similar to itself at short delays and then only falls. A voice falls first and rises again after one period.
    let lowest = 1
    for (let lag = 2; lag <= this.#longest; lag++) {
      const similar = similarity(window, lag)
      if (lag >= this.#shortest && similar >= voicedFrom && similar - lowest >= voicedFrom / 2) return true
      lowest = Math.min(lowest, similar)
    }
    return false
  }
}

/** Normalized correlation of a signal with itself `lag` samples later, -1 to 1. */
function similarity(window: Float32Array, lag: number): number {
  let product = 0
  let early = 0
  let late = 0
  for (let at = lag; at < window.length; at++) {
    const now = window[at] ?? 0
    const before = window[at - lag] ?? 0
    product += now * before
    early += before * before
    late += now * now
  }
  return product / Math.sqrt(early * late + 1e-12)
}
