import { create } from 'zustand'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { speechSound } from '../../../src-preload/contract/speech.ts'
import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { readStream } from '../../api/transfer.ts'
import { type LivePlayer, openLive } from '../../shared/audio/livePlayer.ts'

/** Live playback of a speech. At most one per window, on any page. */
export interface Listening {
  id: string
  /** The first played part. */
  fromPart: number
  /** Null until the format is known. */
  player: LivePlayer | null
  problem: Problem | null
}

export const useListening = create<{ now: Listening | null }>(() => ({ now: null }))

let end: (() => void) | null = null

/** Plays the existing parts and new parts as they arrive. Stops any other live playback. */
export function listenTo(client: Client, id: string, fromPart = 1): void {
  stopListening()
  const ended = new AbortController()
  let player: LivePlayer | null = null
  end = () => {
    ended.abort()
    player?.close()
  }
  useListening.setState({ now: { id, fromPart, player: null, problem: null } })
  const set = (change: Partial<Listening>): void => {
    if (!ended.signal.aborted) useListening.setState(({ now }) => ({ now: now && { ...now, ...change } }))
  }
  const follow = async (): Promise<void> => {
    const { signal } = ended
    const stream = await client.speech.streamAudio({ id, fromPart }, { signal })
    for await (const event of readStream(stream, speechSound, signal)) {
      if (event.type === 'plan') {
        player = openLive(event.mime, event.rate)
        set({ player })
      } else if (event.type === 'audio') await player?.add(event.part, event.data)
      else if (event.type === 'part') await player?.endPart()
      else {
        await player?.endPart()
        break
      }
    }
    player?.endAll()
  }
  follow().catch((thrown: unknown) => {
    if (ended.signal.aborted) return
    player?.endAll()
    set({ problem: problemOf(thrown) })
  })
}

export function stopListening(): void {
  end?.()
  end = null
  useListening.setState({ now: null })
}
