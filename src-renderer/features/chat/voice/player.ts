import { create } from 'zustand'
import { speechEvent } from '../../../../src-preload/contract/media.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { problemOf } from '../../../api/problem.ts'
import { readStream } from '../../../api/transfer.ts'
import { client } from '../client.ts'
import { joinedInSlices } from '../slices.ts'
import { openOutput } from './output.ts'
import { speakableInSteps } from './speakable.ts'

export interface ReadAloud {
  messageId: string
  text: string
  /** `asking`: no sound yet. `waiting`: more data is expected. */
  state: 'asking' | 'playing' | 'paused' | 'waiting' | 'failed'
  /** The playing part, from 1, and the number of parts, 0 while unknown. */
  part: number
  parts: number
  /** ms from the click to the first sound. */
  firstSoundMs: number | null
  problem: Problem | null
}

/** The message being read aloud. One per window, on any page. */
export const usePlayer = create<{ now: ReadAloud | null; speed: number }>(() => ({ now: null, speed: 1 }))

export const speeds = [0.75, 1, 1.25, 1.5, 1.75, 2] as const

/** Stops the sound and cancels its request. */
let end: (() => void) | null = null
let controls: { pause(): void; play(): void; setSpeed(speed: number): void } | null = null

/** Reads a message aloud, replacing the current one. `fromPart` continues after a failure. */
export async function speak(messageId: string, text: string, fromPart = 1): Promise<void> {
  stopReading()
  const core = client()
  if (!core) return
  const began = performance.now()
  const ended = new AbortController()
  const { signal } = ended
  const output = openOutput()
  usePlayer.setState({
    now: { messageId, text, state: 'asking', part: fromPart, parts: 0, firstSoundMs: null, problem: null },
  })
  const set = (change: Partial<ReadAloud>): void => {
    if (!signal.aborted) usePlayer.setState(({ now }) => ({ now: now && { ...now, ...change } }))
  }
  end = () => {
    ended.abort()
    output.close()
  }
  controls = output
  output.setSpeed(usePlayer.getState().speed)
  output.onState = (state) => {
    const { now } = usePlayer.getState()
    if (state === 'playing' && now?.firstSoundMs === null) set({ firstSoundMs: performance.now() - began })
    if (state !== 'waiting' || now?.firstSoundMs !== null) set({ state })
  }
  output.onPart = (part) => set({ part: fromPart + part - 1 })
  let asked = fromPart
  let failure: unknown = null
  const fail = (thrown: unknown): void => {
    set({ state: 'failed', part: asked, problem: problemOf(thrown) })
    ended.abort()
    output.close()
  }
  output.onFault = fail
  output.onEnd = () => {
    if (signal.aborted) return
    if (failure === null) stopReading()
    else fail(failure)
  }
  try {
    const spoken = (await joinedInSlices(speakableInSteps(text), signal)).trim()
    for (let parts = asked; asked <= parts; asked++) {
      // Requests only one part ahead of playback, because parts cost money.
      await output.partStarted(asked - fromPart, signal)
      const stream = await core.voice.speak({ text: spoken, part: asked }, { signal })
      for await (const event of readStream(stream, speechEvent, signal)) {
        if (event.type === 'plan') {
          parts = event.parts
          set({ parts })
        } else if (event.type === 'audio') await output.add(event.data)
      }
      await output.endPart()
    }
    output.endAll()
  } catch (thrown) {
    if (signal.aborted) return
    const { now } = usePlayer.getState()
    if (now?.firstSoundMs === null) return fail(thrown)
    // Plays everything received first. Then the bar shows the failure, and can continue from the failed part.
    failure = thrown
    output.endAll()
  }
}

export function pauseReading(): void {
  controls?.pause()
}

export function resumeReading(): void {
  controls?.play()
}

export function stopReading(): void {
  end?.()
  end = null
  controls = null
  usePlayer.setState({ now: null })
}

export function setSpeed(speed: number): void {
  usePlayer.setState({ speed })
  controls?.setSpeed(speed)
}
