import { create } from 'zustand'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { i18n } from '../../i18n/index.ts'
import { soundsAlone, soundsNoMore } from '../../shared/audio/exclusivePlayback.ts'

/** The loading or playing sample. */
interface Sample {
  voice: string
  state: 'asking' | 'playing' | 'failed'
  problem: Problem | null
}
export const useSample = create<{ now: Sample | null }>(() => ({ now: null }))

let end: (() => void) | null = null

/** Plays a short sample of a voice, which the core requests once and stores. A second call stops the playback. */
export async function playSample(client: Client, voice: string): Promise<void> {
  const before = useSample.getState().now
  stopSample()
  if (before?.voice === voice && before.state !== 'failed') return
  const ended = new AbortController()
  const audio = new Audio()
  end = () => {
    ended.abort()
    audio.pause()
    soundsNoMore(audio)
  }
  useSample.setState({ now: { voice, state: 'asking', problem: null } })
  try {
    // Without a signal: a request that is paid for is stored, also when the person has stopped the sample.
    const { mediaId } = await client.voice.sample({ voice, text: i18n.t('speech:sample', { voice }) })
    ended.signal.throwIfAborted()
    audio.src = mediaPath(mediaId)
    audio.addEventListener('ended', stopSample, { signal: ended.signal })
    soundsAlone(audio, stopSample)
    await audio.play()
    useSample.setState({ now: { voice, state: 'playing', problem: null } })
  } catch (thrown) {
    if (!ended.signal.aborted) useSample.setState({ now: { voice, state: 'failed', problem: problemOf(thrown) } })
  }
}

export function stopSample(): void {
  end?.()
  end = null
  useSample.setState({ now: null })
}
