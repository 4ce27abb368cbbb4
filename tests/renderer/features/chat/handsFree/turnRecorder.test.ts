// @module-tag ffmpeg
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type TurnEvent,
  type TurnInput,
  TurnRecorder,
} from '../../../../../src-renderer/features/chat/handsFree/turnRecorder.ts'
import { firstCases } from '../../../../helpers/effort.ts'
import { seed } from '../../../../helpers/random.ts'
import { atLevel, clicks, joined, mixed, noise, rate, silence, speech } from './recordings.ts'

const said: Record<string, Float32Array> = {}
beforeAll(async () => {
  said.sentence = atLevel(await speech('Good morning. When does the ferry leave the harbour?', 'nova'), -22)
  said.deep = atLevel(await speech('Tell me about the weather at the coast tomorrow.', 'onyx'), -22)
  said.no = atLevel(await speech('No.', 'alloy'), -22)
}, 30_000)
const voice = (name: string): Float32Array => said[name] ?? silence(0)

/** Events with their times, s. */
function heard(sound: Float32Array, { input = 'automatic' as TurnInput, guarded = false } = {}) {
  const recorder = new TurnRecorder(rate)
  recorder.input = input
  recorder.guarded = guarded
  const found: (TurnEvent & { at: number })[] = []
  // 128 samples are what an audio worklet gets at a time.
  for (let at = 0; at < sound.length; at += 128) {
    for (const event of recorder.push(sound.subarray(at, at + 128))) found.push({ ...event, at: at / rate })
  }
  return found
}
/** Without the pauses, of which a turn may have any number. */
const types = (events: readonly TurnEvent[]) => events.map(({ type }) => type).filter((type) => type !== 'paused')
const seconds = (event: TurnEvent | undefined) => (event?.type === 'ended' ? event.samples.length / rate : 0)

describe('speech', () => {
  test.each(['sentence', 'deep', 'no'])(
    '"%s" is one turn, with its beginning and its end, without the silence around it',
    (name) => {
      const events = heard(joined(silence(2), voice(name), silence(2)))
      expect(types(events)).toEqual(['started', 'ended'])
      const long = voice(name).length / rate
      const end = events.at(-1)
      expect(seconds(end)).toBeGreaterThan(Math.min(long, 0.3) - 0.2)
      expect(seconds(end)).toBeLessThan(long + 0.6)
      // Noticed within 0.5 s of its start, and ended after the pause of 0.5 s.
      expect(events[0]?.at).toBeLessThan(2.55)
      expect(end?.at).toBeLessThan(2 + long + 0.55)
    },
  )

  test.each(
    firstCases(1, [
      ['a fan', 'pink', -42],
      ['a loud car', 'brown', -34],
      ['hiss', 'white', -45],
    ] as const),
  )('is found over %s, two turns of two', (_, color, db) => {
    const sound = joined(silence(3), voice('sentence'), silence(1.5), voice('deep'), silence(1.5))
    const events = heard(mixed(sound, noise(color, 4, db)))
    expect(types(events)).toEqual(['started', 'ended', 'started', 'ended'])
  })

  test('that is quiet is found in a quiet place', { tags: 'long' }, () => {
    const events = heard(
      joined(
        noise('pink', 2, -75),
        mixed(atLevel(voice('sentence'), -45), noise('pink', 2, -75)),
        noise('pink', 2, -75),
      ),
    )
    expect(types(events)).toEqual(['started', 'ended'])
  })

  test('with a pause for breath is still one turn', () => {
    // The synthesizer adds about 0.2 s of silence before and after a sentence.
    const events = heard(joined(silence(1), voice('deep'), voice('sentence'), silence(1)))
    expect(types(events)).toEqual(['started', 'ended'])
  })

  test('over the program’s own sound starts a turn, but a quiet echo does not', { tags: 'long' }, () => {
    const echo = (db: number) =>
      joined(noise('pink', 3, -60), mixed(atLevel(voice('deep'), db), noise('pink', 3, -60)), noise('pink', 2, -60))
    expect(types(heard(echo(-22), { guarded: true }))).toEqual(['started', 'ended'])
    expect(types(heard(echo(-58), { guarded: true }))).toEqual([])
  })
})

describe('no turn starts from', () => {
  test.each(
    firstCases(3, [
      ['silence', () => silence(5)],
      ['hiss', () => noise('white', 5, -30)],
      ['a fan', () => noise('pink', 5, -25)],
      ['an engine', () => noise('brown', 5, -20)],
      ['noise that begins suddenly', () => joined(silence(2), noise('pink', 4, -25), silence(2))],
      ['an engine that starts', () => joined(noise('pink', 2, -70), noise('brown', 4, -15))],
      ['a keyboard', () => clicks(5)],
      ['a keyboard over a fan', () => mixed(clicks(5), noise('pink', 5, -45))],
      ['a knock', () => joined(silence(1), clicks(0.05), silence(1))],
    ] as const),
  )('%s', (_, sound) => {
    expect(heard(sound())).toEqual([])
  })
})

describe('the recording before the end of its pause', () => {
  test('is reported 0.25 s before the turn ends, with the same samples', () => {
    const events = heard(joined(silence(1), voice('sentence'), silence(1)))
    const paused = events.findLast((event) => event.type === 'paused')
    const ended = events.find((event) => event.type === 'ended')
    expect(ended?.asPaused).toBe(true)
    expect(paused?.samples).toEqual(ended?.samples)
    expect((ended?.at ?? 0) - (paused?.at ?? 0)).toBeCloseTo(0.26, 2)
  })
  test('is reported again after the person has gone on', () => {
    const events = heard(joined(silence(1), voice('no'), voice('sentence'), silence(1)))
    const pauses = events.flatMap((event) => (event.type === 'paused' ? [event.samples.length] : []))
    expect(pauses.length).toBeGreaterThan(1)
    expect(pauses.at(-1)).toBe((seconds(events.at(-1)) ?? 0) * rate)
    expect(types(events)).toEqual(['started', 'ended'])
  })
  test('is not reported for a longer one than 30 s, whose end is as usual', { tags: 'long' }, () => {
    const long = joined(silence(1), ...Array.from({ length: 15 }, () => voice('sentence')), silence(1))
    const events = heard(long)
    const ended = events.find((event) => event.type === 'ended')
    expect(seconds(ended)).toBeGreaterThan(30)
    expect(ended?.asPaused).toBe(false)
    for (const event of events) if (event.type === 'paused') expect(event.samples.length / rate).toBeLessThanOrEqual(30)
  })
})

describe('while a button is held', () => {
  const held = (sound: Float32Array, from: number, to: number): TurnEvent[] => {
    const recorder = new TurnRecorder(rate)
    recorder.input = 'hold'
    const cut = (at: number) => Math.round(at * rate)
    return [
      ...recorder.push(sound.subarray(0, cut(from))),
      ...recorder.hold(true),
      ...recorder.push(sound.subarray(cut(from), cut(to))),
      ...recorder.hold(false),
      ...recorder.push(sound.subarray(cut(to))),
    ]
  }
  test('all speech is one turn, with any pauses in it', () => {
    const sound = joined(silence(1), voice('no'), silence(1.5), voice('no'), silence(2))
    const events = held(sound, 1, sound.length / rate - 1.8)
    expect(types(events)).toEqual(['started', 'ended'])
    expect(seconds(events[1])).toBeGreaterThan(1.5)
  })
  test('whispering counts', () => {
    const sound = joined(silence(1), noise('pink', 1, -40), silence(1))
    expect(types(held(sound, 0.9, 2.1))).toEqual(['started', 'ended'])
  })
  test('silence is discarded', () => {
    expect(types(held(noise('pink', 3, -60), 1, 2))).toEqual(['started', 'discarded'])
  })
  test('speech without the button is not recorded', () => {
    expect(heard(joined(silence(1), voice('sentence'), silence(1)), { input: 'hold' })).toEqual([])
  })
})

test('a turn ends after two minutes, even if speech continues', { tags: 'long' }, () => {
  const long = joined(silence(1), ...Array.from({ length: 45 }, () => voice('sentence')))
  const first = heard(long).find(({ type }) => type === 'ended')
  expect(seconds(first)).toBeCloseTo(120, 0)
})

test('finds the same turns however the samples are divided', () => {
  const sound = joined(silence(0.7), voice('no'), silence(0.9))
  const whole = heard(sound).map(({ at: _, ...event }) => event)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 20 }), (sizes) => {
      const recorder = new TurnRecorder(rate)
      const found: TurnEvent[] = []
      for (let at = 0, next = 0; at < sound.length; next++) {
        const size = sizes[next % sizes.length] ?? 1
        found.push(...recorder.push(sound.subarray(at, at + size)))
        at += size
      }
      expect(found).toEqual(whole)
    }),
    { seed, numRuns: 15 },
  )
})
