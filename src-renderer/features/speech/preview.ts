import { create } from 'zustand'
import { speechEvent } from '../../../src-preload/contract/media.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { readStream } from '../../api/transfer.ts'
import { i18n } from '../../i18n/index.ts'
import { soundsAlone, soundsNoMore } from '../../shared/audio/exclusivePlayback.ts'
import { appStore } from '../../stores/app.ts'

/** The loading or playing sample. */
interface Sample {
  voice: string
  state: 'asking' | 'playing' | 'failed'
  problem: Problem | null
}
export const useSample = create<{ now: Sample | null }>(() => ({ now: null }))

/** Cache Storage name of the samples, by service and voice. */
const shelf = 'speech.samples.1'
const inMemory = new Map<string, Blob>()
let end: (() => void) | null = null

/** Plays a short sample of a voice, requested once and cached by the browser. A second call stops the playback. */
export async function playSample(client: Client, voice: string): Promise<void> {
  const before = useSample.getState().now
  stopSample()
  if (before?.voice === voice && before.state !== 'failed') return
  const ended = new AbortController()
  const audio = new Audio()
  end = () => {
    ended.abort()
    audio.pause()
    URL.revokeObjectURL(audio.src)
    soundsNoMore(audio)
  }
  useSample.setState({ now: { voice, state: 'asking', problem: null } })
  try {
    const sample = await sampleOf(client, voice, ended.signal)
    ended.signal.throwIfAborted()
    audio.src = URL.createObjectURL(sample)
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

async function sampleOf(client: Client, voice: string, signal: AbortSignal): Promise<Blob> {
  const service = appStore.getState().app?.connection.profile?.baseUrl ?? ''
  const key = `/speech-sample?${new URLSearchParams({ service, voice })}`
  const kept = inMemory.get(key) ?? (await fromShelf(key))
  if (kept) return kept
  const parts: BlobPart[] = []
  let type = 'audio/mpeg'
  const text = i18n.t('speech:sample', { voice })
  const stream = await client.voice.speak({ text, voice }, { signal })
  for await (const event of readStream(stream, speechEvent, signal)) {
    if (event.type === 'plan') type = event.mime
    else if (event.type === 'audio') parts.push(event.data)
  }
  const sample = new Blob(parts, { type })
  inMemory.set(key, sample)
  await toShelf(key, sample)
  return sample
}

/** Reads a cached sample. Without a secure context there is no Cache Storage, and samples last as long as the window. */
async function fromShelf(key: string): Promise<Blob | null> {
  try {
    const found = await (await caches.open(shelf)).match(key)
    return found ? await found.blob() : null
  } catch {
    return null
  }
}

async function toShelf(key: string, sample: Blob): Promise<void> {
  try {
    await (await caches.open(shelf)).put(key, new Response(sample, { headers: { 'Content-Type': sample.type } }))
  } catch {
    // The sample stays in memory instead.
  }
}
