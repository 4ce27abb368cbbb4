import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type HandsFree,
  type HandsFreeEffect,
  type HandsFreeEvent,
  initialHandsFree,
  phaseOf,
  step,
} from '../../../../../src-renderer/features/chat/handsFree/conversationState.ts'
import { seed } from '../../../../helpers/random.ts'

const problem = { kind: 'unavailable', message: 'The service does not answer.' } as const

/** Applies events one after another. */
function play(...events: HandsFreeEvent[]) {
  let state: HandsFree = initialHandsFree
  const effects: HandsFreeEffect[] = []
  const phases: string[] = []
  for (const event of events) {
    const next = step(state, event)
    state = next.state
    effects.push(...next.effects)
    phases.push(phaseOf(state))
  }
  return { state, effects, phases, did: effects.map(({ type }) => type) }
}
const start: HandsFreeEvent[] = [{ type: 'start', input: 'automatic' }, { type: 'microphoneOpened' }]
const turn = (id: number): HandsFreeEvent[] => [{ type: 'speechStarted' }, { type: 'speechEnded', turn: id }]
const say = (id: number, text: string): HandsFreeEvent[] => [...turn(id), { type: 'transcribed', turn: id, text }]
/** From the start until the reply to the first turn is heard. */
const speaking: HandsFreeEvent[] = [...start, ...say(1, 'Hello.'), { type: 'sent' }, { type: 'soundStarted' }]
const complete: HandsFreeEvent = { type: 'replyEnded', end: 'complete', problem: null }

test('one turn goes through every phase and back to listening', () => {
  const { phases, effects } = play(...speaking, complete, { type: 'soundEnded' })
  expect(phases).toEqual([
    'opening',
    'listening',
    'hearing',
    'transcribing',
    'thinking',
    'thinking',
    'speaking',
    'speaking',
    'listening',
  ])
  expect(effects).toEqual([
    { type: 'openMicrophone' },
    { type: 'transcribe', turn: 1 },
    { type: 'send', text: 'Hello.' },
    { type: 'speak' },
  ])
})

test('speaking stops the reply and its sound, and the next message waits until the reply has stopped', () => {
  const before = [...start, ...say(1, 'Hello.'), { type: 'sent' }, { type: 'soundStarted' }] as const
  const spoken = play(...before, { type: 'speechStarted' })
  expect(spoken.did.slice(-2)).toEqual(['stopSound', 'stopReply'])
  expect(spoken.phases.at(-1)).toBe('hearing')
  const asked = play(...before, ...say(2, 'Stop.'))
  expect(asked.did.filter((type) => type === 'send')).toHaveLength(1)
  expect(play(...before, ...say(2, 'Stop.'), complete).effects.at(-1)).toEqual({ type: 'send', text: 'Stop.' })
})

test('speaking while the message is still being sent stops its reply as soon as it exists', () => {
  const { effects } = play(...start, ...say(1, 'Hello.'), { type: 'speechStarted' }, { type: 'sent' })
  expect(effects.at(-1)).toEqual({ type: 'stopReply' })
})

test('turns that follow each other before the first is transcribed become one message', () => {
  const { effects } = play(
    ...start,
    ...turn(1),
    ...turn(2),
    { type: 'transcribed', turn: 2, text: 'to Oslo.' },
    { type: 'transcribed', turn: 1, text: 'I want to go' },
  )
  expect(effects.at(-1)).toEqual({ type: 'send', text: 'I want to go to Oslo.' })
})

test('a transcript without words sends nothing, and listening continues', () => {
  const { did, phases } = play(...start, ...say(1, '  '))
  expect(did).not.toContain('send')
  expect(phases.at(-1)).toBe('listening')
})

test('pause closes the microphone and pauses the sound, resume continues both', () => {
  const { did, phases } = play(...start, { type: 'pause' }, { type: 'resume' }, { type: 'microphoneOpened' })
  expect(did).toEqual(['openMicrophone', 'closeMicrophone', 'pauseSound', 'openMicrophone', 'resumeSound'])
  expect(phases.slice(2)).toEqual(['paused', 'opening', 'listening'])
})

test('stop closes the microphone, cancels transcription, reply and sound', () => {
  const { did, state } = play(...speaking, { type: 'stop' })
  expect(did.slice(-4)).toEqual(['closeMicrophone', 'cancelTranscriptions', 'stopSound', 'stopReply'])
  expect(phaseOf(state)).toBe('off')
})

describe('after a failure', () => {
  test('of the transcription, retry transcribes the same recording, and skip leaves it out', () => {
    const failed = [...start, ...turn(1), { type: 'transcriptionFailed', turn: 1, problem }] as const
    expect(play(...failed).phases.at(-1)).toBe('failed')
    expect(play(...failed).did.at(-1)).toBe('closeMicrophone')
    expect(play(...failed, { type: 'retry' }).effects.at(-1)).toEqual({ type: 'transcribe', turn: 1 })
    expect(play(...failed, { type: 'skip' }, { type: 'microphoneOpened' }).phases.at(-1)).toBe('listening')
  })
  test('of sending, retry sends the same text again', () => {
    const failed = [...start, ...say(1, 'Hello.'), { type: 'sendFailed', problem }] as const
    expect(play(...failed, { type: 'retry' }).effects.at(-1)).toEqual({ type: 'send', text: 'Hello.' })
  })
  test('of the reply, retry requests the reply again', () => {
    const failed = [
      ...start,
      ...say(1, 'Hello.'),
      { type: 'sent' },
      { type: 'replyEnded', end: 'failed', problem },
    ] as const
    expect(play(...failed).phases.at(-1)).toBe('failed')
    expect(play(...failed, { type: 'retry' }).effects.at(-1)).toEqual({ type: 'retryReply' })
    expect(play(...failed, { type: 'retry' }, { type: 'sendFailed', problem: null }).phases.at(-1)).toBe('failed')
  })
  test('of the speech, retry continues to speak', () => {
    const failed = [...start, ...say(1, 'Hello.'), { type: 'sent' }, { type: 'soundFailed', problem }] as const
    expect(play(...failed, { type: 'retry' }).effects.at(-1)).toEqual({ type: 'speak' })
  })
  test('of the microphone, retry opens it again', () => {
    const failed = [...start, { type: 'microphoneFailed', trouble: 'denied' }] as const
    expect(play(...failed).state.failure).toEqual({ kind: 'microphone', trouble: 'denied' })
    expect(play(...failed, { type: 'retry' }).effects.at(-1)).toEqual({ type: 'openMicrophone' })
  })
})

test('a reply that waits for permission says so, and the person may speak instead', () => {
  const { phases, did } = play(
    ...start,
    ...say(1, 'Hello.'),
    { type: 'sent' },
    { type: 'permission', needed: true },
    {
      type: 'speechStarted',
    },
  )
  expect(phases.slice(-2)).toEqual(['permission', 'hearing'])
  expect(did.at(-1)).toBe('stopReply')
})

const id = fc.integer({ min: 1, max: 3 })
const anyEvent: fc.Arbitrary<HandsFreeEvent> = fc.oneof(
  ...(
    [
      'stop',
      'pause',
      'resume',
      'retry',
      'skip',
      'microphoneOpened',
      'speechDiscarded',
      'soundStarted',
      'soundEnded',
    ] as const
  ).map((type) => fc.constant({ type })),
  { arbitrary: fc.constant<HandsFreeEvent>({ type: 'speechStarted' }), weight: 4 },
  { arbitrary: id.map((turn): HandsFreeEvent => ({ type: 'speechEnded', turn })), weight: 4 },
  { arbitrary: fc.constant<HandsFreeEvent>({ type: 'sent' }), weight: 3 },
  {
    arbitrary: fc.record({
      type: fc.constant('transcribed' as const),
      turn: id,
      text: fc.constantFrom('', ' ', 'One.', 'Two.'),
    }),
    weight: 5,
  },
  fc.record({ type: fc.constant('start' as const), input: fc.constantFrom('automatic' as const, 'hold' as const) }),
  fc.record({ type: fc.constant('setInput' as const), input: fc.constantFrom('automatic' as const, 'hold' as const) }),
  fc.constant<HandsFreeEvent>({ type: 'microphoneFailed', trouble: 'lost' }),
  id.map((turn): HandsFreeEvent => ({ type: 'transcriptionFailed', turn, problem })),
  fc.constant<HandsFreeEvent>({ type: 'sendFailed', problem }),
  fc.boolean().map((needed): HandsFreeEvent => ({ type: 'permission', needed })),
  fc
    .constantFrom('complete' as const, 'stopped' as const, 'failed' as const)
    .map((end): HandsFreeEvent => ({ type: 'replyEnded', end, problem: end === 'failed' ? problem : null })),
  fc.constant<HandsFreeEvent>({ type: 'soundFailed', problem }),
)

/** A model of the devices and the chat, which the state controls. */
class World {
  state: HandsFree = initialHandsFree
  microphone = false
  sound = false
  chat: 'free' | 'sending' | 'reply' = 'free'
  readonly recorded = new Set<number>()

  /** The chat answers once per message, and a reply ends once. */
  mayHappen({ type }: HandsFreeEvent): boolean {
    if (type === 'sent' || type === 'sendFailed') return this.chat === 'sending'
    return type !== 'replyEnded' || this.chat === 'reply'
  }

  happen(event: HandsFreeEvent): void {
    if (event.type === 'sent') this.chat = 'reply'
    if (event.type === 'sendFailed' || event.type === 'replyEnded') this.chat = 'free'
    if (event.type === 'speechEnded') this.recorded.add(event.turn)
    const { state, effects } = step(this.state, event)
    for (const effect of effects) this.#do(effect)
    this.state = state
    if (event.type === 'soundEnded' || event.type === 'soundFailed') this.sound = false
  }

  #do(effect: HandsFreeEffect): void {
    if (effect.type === 'openMicrophone' || effect.type === 'closeMicrophone')
      this.microphone = effect.type === 'openMicrophone'
    if (effect.type === 'speak' || effect.type === 'stopSound') this.sound = effect.type === 'speak'
    if (effect.type === 'transcribe') expect(this.recorded.has(effect.turn)).toBe(true)
    if (effect.type === 'stopReply') expect(this.chat).toBe('reply')
    if (effect.type === 'send') expect(effect.text).toMatch(/^(One|Two)\.( (One|Two)\.)*$/)
    if (effect.type !== 'send' && effect.type !== 'retryReply') return
    expect(this.chat).toBe('free')
    this.chat = 'sending'
  }
}

test('in any order of events: no silence is sent, never two replies, and off, paused and failed mean a closed microphone', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 80 }), (events) => {
      const world = new World()
      for (const event of events) {
        if (!world.mayHappen(event)) continue
        world.happen(event)
        const phase = phaseOf(world.state)
        expect(world.microphone).toBe(!['off', 'paused', 'failed'].includes(phase))
        // After an interruption no sound remains, and the state knows whether the chat is free.
        if (phase === 'off' || phase === 'hearing') expect(world.sound).toBe(false)
        expect(world.state.reply === 'none').toBe(world.chat === 'free')
      }
    }),
    { seed, numRuns: 2_000 },
  )
})

test('whatever has happened, stop and start lead to listening', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      const { state, did } = play(...events, { type: 'stop' })
      expect(phaseOf(state)).toBe('off')
      const again = [state, ...start].reduce<HandsFree>(
        (before, event) => ('type' in event ? step(before, event).state : event),
        state,
      )
      expect(phaseOf(again)).toBe('listening')
      expect(did.lastIndexOf('openMicrophone')).toBeLessThanOrEqual(did.lastIndexOf('closeMicrophone'))
    }),
    { seed, numRuns: 500 },
  )
})
