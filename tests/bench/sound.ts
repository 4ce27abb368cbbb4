// `node tests/bench/sound.ts 60`: figures of the waveform and of what plays while it comes, as JSON.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openSound } from '../renderer/audio/harness/page.ts'
import { kinds, makeSounds } from '../renderer/audio/sounds.ts'

const minutes = Number(process.argv[2] ?? 60)
const drawnKinds = ['mp3', 'webm', 'flac']
const liveKinds = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']

/** ms until it is drawn at all and until it is exact, from the click on; the page's longest task on the way. */
async function draw(
  harness: Awaited<ReturnType<typeof openSound>>,
  kind: string,
  known: { data: string; seconds: number } | null,
) {
  const { page } = await harness.open()
  const figures = await page.evaluate(
    async ([id, mime, kept]) => {
      const shown = (wanted: string[]) =>
        new Promise<number>((resolve) => {
          const look = (): void => {
            const state = document.querySelector('[role="slider"]')?.getAttribute('data-state') ?? ''
            if (wanted.includes(state)) resolve(performance.now() - began)
            else requestAnimationFrame(look)
          }
          look()
        })
      window.sound.longest = 0
      const began = performance.now()
      window.sound.show(id, mime, kept?.seconds ?? null, kept)
      const first = await shown(['rough', 'whole'])
      const whole = await shown(['whole'])
      // Long tasks are told a moment later.
      await new Promise((resolve) => setTimeout(resolve, 500))
      return { first: Math.round(first), whole: Math.round(whole), longest: Math.round(window.sound.longest) }
    },
    [`tone.${kind}`, kinds[kind]?.mime ?? '', known] as const,
  )
  await page.close()
  return figures
}

const long = makeSounds(minutes * 60, drawnKinds)
const harness = await openSound(long.kept)
const drawn = []
// As the core keeps it: 4,096 stretches.
const data = Buffer.from(Uint8Array.from({ length: 4096 }, (_, at) => (at * 37) % 256)).toString('base64')
for (const kind of drawnKinds) {
  const megabytes = Math.round(statSync(join(long.folder, `tone.${kind}`)).size / 1e6)
  const figures = await draw(harness, kind, null)
  const again = await draw(harness, kind, { data, seconds: minutes * 60 })
  drawn.push({ kind, megabytes, ...figures, again: again.first, longest: Math.max(figures.longest, again.longest) })
}
await harness.close()
long.remove()

const short = makeSounds(4, liveKinds)
const player = await openSound(short.kept)
const live = []
for (const kind of liveKinds) {
  const { page } = await player.open()
  const { firstSoundMs } = await page.evaluate(([path, mime]) => window.sound.live([path], mime, 24_000, 3_001, 5), [
    `/media/tone.${kind}`,
    kinds[kind]?.mime ?? '',
  ] as const)
  live.push({ kind, ms: Math.round(firstSoundMs ?? Number.POSITIVE_INFINITY) })
  await page.close()
}
await player.close()
short.remove()
console.log(JSON.stringify({ drawn, live }))
