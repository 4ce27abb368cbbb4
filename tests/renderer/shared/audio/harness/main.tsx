import { createRef } from 'react'
import { createRoot } from 'react-dom/client'
import type { Client } from '../../../../../src-renderer/api/connect.ts'
import { startWords } from '../../../../../src-renderer/i18n/index.ts'
import { openLive } from '../../../../../src-renderer/shared/audio/livePlayer.ts'
import { measure } from '../../../../../src-renderer/shared/audio/peaks.ts'
import { Waveform, type WaveformHandle } from '../../../../../src-renderer/shared/audio/Waveform.tsx'
import { StudioContext } from '../../../../../src-renderer/shared/studioContext.ts'
import { TooltipProvider } from '../../../../../src-renderer/shared/ui/Tooltip.tsx'

/** What tests call inside the page: `window.sound`. */
const sound = {
  kept: [] as { mediaId: string; bytes: number; seconds: number }[],
  times: [] as number[],
  ready: null as number | null,
  longest: 0,
  wave: createRef<WaveformHandle>(),

  show(mediaId: string, mime: string, seconds: number | null, known: { data: string; seconds: number } | null) {
    const media = {
      peaks: async () => known,
      savePeaks: async (kept: { mediaId: string; data: string; seconds: number }) => {
        sound.kept.push({ mediaId: kept.mediaId, bytes: atob(kept.data).length, seconds: kept.seconds })
        return {}
      },
    }
    // The waveform calls nothing else.
    const client = { media } as unknown as Client
    const root = document.getElementById('root')
    if (!root) throw new Error('The page has no #root.')
    createRoot(root).render(
      <StudioContext value={client}>
        <TooltipProvider>
          <main>
            <Waveform
              key={mediaId}
              ref={sound.wave}
              mediaId={mediaId}
              mime={mime}
              seconds={seconds}
              label="The recording"
              onTime={(time) => sound.times.push(time)}
              onReady={(length) => {
                sound.ready = length
              }}
            />
          </main>
        </TooltipProvider>
      </StudioContext>,
    )
  },

  /** The peaks as they arrive: time (ms), number of buckets, level of each tenth of the duration. */
  async measure(path: string, pcmRate: number | null) {
    const began = performance.now()
    const stages: { ms: number; whole: boolean; seconds: number; tenths: number[] }[] = []
    await measure(
      { address: new URL(path, location.href).href, pcmRate },
      ({ peaks, seconds, whole }) => {
        const tenths = Array.from({ length: 10 }, (_, tenth) =>
          Math.max(
            ...peaks.subarray(Math.floor((tenth * peaks.length) / 10), Math.floor(((tenth + 1) * peaks.length) / 10)),
          ),
        )
        stages.push({ ms: performance.now() - began, whole, seconds, tenths })
      },
      new AbortController().signal,
    )
    return stages
  },

  /** Plays files while their bytes arrive, `piece` bytes at a time with pauses, and returns what was played. */
  async live(paths: string[], mime: string, rate: number | null, piece: number, everyMs: number) {
    const live = openLive(mime, rate)
    const states: string[] = []
    const parts = new Set<number>()
    live.state.subscribe(({ state, part }) => {
      if (states.at(-1) !== state) states.push(state)
      if (part > 0) parts.add(part)
    })
    for (const [index, path] of paths.entries()) {
      const bytes = new Uint8Array(await (await fetch(path)).arrayBuffer())
      for (let at = 0; at < bytes.length; at += piece) {
        await live.add(index + 1, bytes.slice(at, at + piece))
        if (everyMs > 0) await new Promise((resolve) => setTimeout(resolve, everyMs))
      }
      await live.endPart()
    }
    live.endAll()
    await new Promise<void>((resolve) => {
      const look = () => ['ended', 'failed'].includes(live.state.getState().state) && resolve()
      live.state.subscribe(look)
      look()
    })
    const { time, arrived, firstSoundMs, error, peaks } = live.state.getState()
    live.close()
    return { time, arrived, firstSoundMs, error, states, parts: [...parts], loudest: Math.max(0, ...peaks) }
  },
}
export type Sound = typeof sound
declare global {
  interface Window {
    sound: Sound
  }
}
window.sound = sound
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) sound.longest = Math.max(sound.longest, duration)
}).observe({ type: 'longtask', buffered: true })
await startWords()
