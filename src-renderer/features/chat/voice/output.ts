/** Audio output: takes MP3 bytes part by part, and reports the state and the playing part. */
export interface Output {
  onState: (state: 'playing' | 'paused' | 'waiting') => void
  /** Counts from 1. */
  onPart: (part: number) => void
  onEnd: () => void
  onFault: (thrown: unknown) => void
  /** Adds bytes of the current part. Resolves when they are accepted. */
  add(bytes: Uint8Array<ArrayBuffer>): Promise<void>
  endPart(): Promise<void>
  endAll(): void
  /**
   * Resolves when part `part` (from 1) plays, for 0 at once.
   * @throws the signal's reason
   */
  partStarted(part: number, signal: AbortSignal): Promise<void>
  pause(): void
  play(): void
  setSpeed(speed: number): void
  close(): void
}

const mime = 'audio/mpeg'

/** Plays while bytes arrive if the browser supports Media Source Extensions, otherwise part by part. */
export function openOutput(): Output {
  const canStream = 'MediaSource' in globalThis && MediaSource.isTypeSupported(mime)
  return canStream ? streamed() : partByPart()
}

/** The common base of both outputs: the element, its events, and callers that wait for a part to play. */
function base(audio: HTMLAudioElement) {
  let part = 0
  let wake: (() => void)[] = []
  const common = {
    onState: (_: 'playing' | 'paused' | 'waiting'): void => undefined,
    onPart: (_: number): void => undefined,
    onEnd: (): void => undefined,
    onFault: (_: unknown): void => undefined,
    hears(now: number): void {
      if (now <= part) return
      part = now
      common.onPart(now)
      for (const one of wake.splice(0)) one()
    },
    async partStarted(wanted: number, signal: AbortSignal): Promise<void> {
      while (part < wanted) {
        signal.throwIfAborted()
        await new Promise<void>((resolve) => {
          wake.push(resolve)
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
      signal.throwIfAborted()
    },
    pause: () => audio.pause(),
    play: () => void audio.play().catch((thrown: unknown) => common.onFault(thrown)),
    setSpeed(speed: number): void {
      audio.defaultPlaybackRate = speed
      audio.playbackRate = speed
    },
    closed(): void {
      wake = []
    },
  }
  audio.addEventListener('playing', () => common.onState('playing'))
  audio.addEventListener('waiting', () => common.onState('waiting'))
  audio.addEventListener('pause', () => {
    if (!audio.ended) common.onState('paused')
  })
  return common
}

/** Played sound older than this is released, s. */
const keptBehind = 30

function streamed(): Output {
  const audio = new Audio()
  const source = new MediaSource()
  const address = URL.createObjectURL(source)
  const common = base(audio)
  /** Start of each part, s. */
  const starts = [0]
  let closed = false
  const opened = new Promise<SourceBuffer>((resolve) => {
    source.addEventListener(
      'sourceopen',
      () => {
        const buffer = source.addSourceBuffer(mime)
        // Parts are separate files that start at 0. `sequence` appends them in order.
        buffer.mode = 'sequence'
        resolve(buffer)
      },
      { once: true },
    )
  })
  const settled = (buffer: SourceBuffer): Promise<void> =>
    new Promise((resolve, reject) => {
      buffer.addEventListener('updateend', () => resolve(), { once: true })
      buffer.addEventListener('error', () => reject(new Error('The received audio cannot be played.')), { once: true })
    })
  const endOf = (buffer: SourceBuffer): number =>
    buffer.buffered.length === 0 ? 0 : buffer.buffered.end(buffer.buffered.length - 1)
  audio.addEventListener('timeupdate', () => {
    const at = starts.findLastIndex((start) => audio.currentTime >= start - 0.05)
    if (audio.currentTime > 0) common.hears(at + 1)
  })
  audio.addEventListener('ended', () => common.onEnd())
  audio.addEventListener('error', () => {
    if (!closed) common.onFault(new Error(`The received audio cannot be played: ${audio.error?.message ?? ''}`))
  })
  audio.src = address
  common.play()
  return Object.assign(common, {
    async add(bytes: Uint8Array<ArrayBuffer>) {
      const buffer = await opened
      if (closed) return
      const behind = audio.currentTime - keptBehind
      if (behind > keptBehind && buffer.buffered.length > 0 && buffer.buffered.start(0) < behind - keptBehind) {
        buffer.remove(0, behind)
        await settled(buffer)
        if (closed) return
      }
      buffer.appendBuffer(bytes)
      await settled(buffer)
    },
    async endPart() {
      starts.push(endOf(await opened))
    },
    endAll() {
      if (source.readyState === 'open') source.endOfStream()
    },
    close() {
      closed = true
      common.closed()
      audio.pause()
      audio.removeAttribute('src')
      audio.load()
      URL.revokeObjectURL(address)
    },
  })
}

function partByPart(): Output {
  const audio = new Audio()
  const common = base(audio)
  let coming: Uint8Array<ArrayBuffer>[] = []
  const whole: string[] = []
  let playing = 0
  let all = false
  const next = (): void => {
    const address = whole[playing]
    if (address === undefined) {
      if (all) common.onEnd()
      else common.onState('waiting')
      return
    }
    playing++
    audio.src = address
    common.play()
    common.hears(playing)
  }
  audio.addEventListener('ended', () => {
    URL.revokeObjectURL(audio.src)
    next()
  })
  return Object.assign(common, {
    async add(bytes: Uint8Array<ArrayBuffer>) {
      coming.push(bytes)
    },
    async endPart() {
      whole.push(URL.createObjectURL(new Blob(coming, { type: mime })))
      coming = []
      if (playing === whole.length - 1 && (audio.ended || audio.src === '')) next()
    },
    endAll() {
      all = true
      if (playing === whole.length && audio.ended) common.onEnd()
    },
    close() {
      common.closed()
      audio.pause()
      audio.removeAttribute('src')
      for (const address of whole) URL.revokeObjectURL(address)
    },
  })
}
