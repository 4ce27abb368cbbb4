import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { MicTrouble } from '../../../shared/audio/recorder.ts'
import type { TurnInput } from './turnRecorder.ts'

/** What stopped the conversation. `retry` repeats the failed step, `skip` leaves it out. */
export type HandsFreeFailure =
  | { kind: 'microphone'; trouble: MicTrouble }
  | { kind: 'transcribe'; turn: number; problem: Problem }
  | { kind: 'send'; problem: Problem | null }
  | { kind: 'reply'; problem: Problem | null }
  | { kind: 'speak'; problem: Problem }

/** A recorded turn whose text is not sent yet. `text` is null while it is transcribed. */
interface PendingTurn {
  id: number
  text: string | null
}

/** The state of a voice conversation. The phases overlap: a person can speak while an earlier turn is still transcribed. */
export interface HandsFree {
  on: boolean
  input: TurnInput
  microphone: 'closed' | 'opening' | 'open'
  paused: boolean
  /** A turn is being recorded. */
  hearing: boolean
  /** Recorded turns whose text is not sent yet, in their order. They become one message. */
  turns: readonly PendingTurn[]
  /** A text that was given to the chat and not accepted yet. */
  outgoing: string | null
  /** The chat accepts no message unless this is `none`. Survives `stop`, because a reply needs time to stop. */
  reply: 'none' | 'sending' | 'running' | 'stopping'
  /** The reply's sound. `waiting`: no sound yet. */
  voice: 'none' | 'waiting' | 'speaking'
  /** The reply waits until the person permits a tool call. */
  needsPermission: boolean
  failure: HandsFreeFailure | null
}

export const initialHandsFree: HandsFree = {
  on: false,
  input: 'automatic',
  microphone: 'closed',
  paused: false,
  hearing: false,
  turns: [],
  outgoing: null,
  reply: 'none',
  voice: 'none',
  needsPermission: false,
  failure: null,
}

export type HandsFreeEvent =
  | { type: 'start'; input: TurnInput }
  | { type: 'stop' }
  | { type: 'pause' }
  | { type: 'resume' }
  | { type: 'retry' }
  | { type: 'skip' }
  | { type: 'setInput'; input: TurnInput }
  | { type: 'microphoneOpened' }
  | { type: 'microphoneFailed'; trouble: MicTrouble }
  | { type: 'speechStarted' }
  /** A turn with speech was recorded. Its id is new. */
  | { type: 'speechEnded'; turn: number }
  | { type: 'speechDiscarded' }
  | { type: 'transcribed'; turn: number; text: string }
  | { type: 'transcriptionFailed'; turn: number; problem: Problem }
  /** The chat accepted the message and has started a reply. */
  | { type: 'sent' }
  | { type: 'sendFailed'; problem: Problem | null }
  | { type: 'permission'; needed: boolean }
  /** The chat accepts messages again. `failed`: the reply ended by a failure. `stopped`: the person stopped it in the chat. */
  | { type: 'replyEnded'; end: 'complete' | 'stopped' | 'failed'; problem: Problem | null }
  | { type: 'soundStarted' }
  | { type: 'soundEnded' }
  | { type: 'soundFailed'; problem: Problem }

/** What the conversation does outside of its state. */
export type HandsFreeEffect =
  | { type: 'openMicrophone' }
  /** Also drops the turn that is being recorded. */
  | { type: 'closeMicrophone' }
  | { type: 'setInput'; input: TurnInput }
  | { type: 'transcribe'; turn: number }
  | { type: 'cancelTranscriptions' }
  | { type: 'send'; text: string }
  | { type: 'stopReply' }
  | { type: 'retryReply' }
  | { type: 'speak' }
  | { type: 'pauseSound' }
  | { type: 'resumeSound' }
  /** Ends playback and its requests. */
  | { type: 'stopSound' }

export interface HandsFreeStep {
  state: HandsFree
  effects: readonly HandsFreeEffect[]
}

/** The phase as shown, exactly one at a time. */
export type HandsFreePhase =
  | 'off'
  | 'opening'
  | 'listening'
  | 'hearing'
  | 'transcribing'
  | 'thinking'
  | 'permission'
  | 'speaking'
  | 'paused'
  | 'failed'

export function phaseOf(state: HandsFree): HandsFreePhase {
  if (!state.on) return 'off'
  if (state.failure) return 'failed'
  if (state.paused) return 'paused'
  if (state.hearing) return 'hearing'
  if (state.turns.length > 0) return 'transcribing'
  if (state.needsPermission) return 'permission'
  if (state.voice === 'speaking') return 'speaking'
  if (state.voice === 'waiting' || state.reply === 'sending' || state.reply === 'running') return 'thinking'
  return state.microphone === 'open' ? 'listening' : 'opening'
}

/**
 * Applies an event. Events that do not fit the state, for example late answers, change nothing.
 *
 * Rules for any order of events: only recorded speech is transcribed, only a transcript with text is sent, a message is sent only when no
 * reply exists, and `stop`, `pause` and failures close the microphone.
 */
export function step(state: HandsFree, event: HandsFreeEvent): HandsFreeStep {
  const next = apply(state, event)
  return sendIfReady(next)
}

const same = (state: HandsFree): HandsFreeStep => ({ state, effects: [] })

function apply(state: HandsFree, event: HandsFreeEvent): HandsFreeStep {
  if (event.type === 'replyEnded') return replyEnded(state, event)
  if (event.type === 'sent') return sent(state)
  if (event.type === 'sendFailed') return sendFailed(state, event.problem)
  if (event.type === 'start') {
    if (state.on) return same(state)
    const { input } = event
    const fresh: HandsFree = { ...initialHandsFree, on: true, input, microphone: 'opening', reply: state.reply }
    return { state: fresh, effects: [{ type: 'openMicrophone' }] }
  }
  return state.on ? applyOn(state, event) : same(state)
}

type EventWhileOn = Exclude<HandsFreeEvent, { type: 'start' | 'sent' | 'sendFailed' | 'replyEnded' }>

function applyOn(state: HandsFree, event: EventWhileOn): HandsFreeStep {
  switch (event.type) {
    case 'stop':
      return stop(state)
    case 'pause':
      return pause(state)
    case 'resume':
      return resume(state)
    case 'retry':
      return retry(state)
    case 'skip':
      return skip(state)
    case 'setInput':
      if (state.input === event.input) return same(state)
      return { state: { ...state, input: event.input, hearing: false }, effects: [event] }
    case 'microphoneOpened':
      return same(state.microphone === 'opening' ? { ...state, microphone: 'open' } : state)
    case 'microphoneFailed':
      return state.microphone === 'closed' ? same(state) : fail(state, { kind: 'microphone', trouble: event.trouble })
    case 'speechStarted':
      return state.microphone === 'open' ? bargeIn({ ...state, hearing: true }) : same(state)
    case 'speechDiscarded':
      return same({ ...state, hearing: false })
    case 'speechEnded':
      if (!state.hearing) return same(state)
      return {
        state: { ...state, hearing: false, turns: [...state.turns, { id: event.turn, text: null }] },
        effects: [{ type: 'transcribe', turn: event.turn }],
      }
    case 'transcribed':
      return same({ ...state, turns: withText(state.turns, event.turn, event.text.trim()) })
    case 'transcriptionFailed':
      if (!state.turns.some(({ id, text }) => id === event.turn && text === null)) return same(state)
      return fail(state, { kind: 'transcribe', turn: event.turn, problem: event.problem })
    case 'permission':
      return same({ ...state, needsPermission: event.needed && state.reply === 'running' })
    case 'soundStarted':
      return same(state.voice === 'waiting' ? { ...state, voice: 'speaking' } : state)
    case 'soundEnded':
      return same({ ...state, voice: 'none' })
    case 'soundFailed':
      return state.voice === 'none'
        ? same(state)
        : fail({ ...state, voice: 'none' }, { kind: 'speak', problem: event.problem })
  }
}

function pause(state: HandsFree): HandsFreeStep {
  if (state.paused || state.failure) return same(state)
  return {
    state: { ...state, paused: true, hearing: false, microphone: 'closed' },
    effects: [{ type: 'closeMicrophone' }, { type: 'pauseSound' }],
  }
}

function resume(state: HandsFree): HandsFreeStep {
  if (!state.paused || state.failure) return same(state)
  return {
    state: { ...state, paused: false, microphone: 'opening' },
    effects: [{ type: 'openMicrophone' }, { type: 'resumeSound' }],
  }
}

/** The person speaks: the reply and its sound stop at once. */
function bargeIn(state: HandsFree): HandsFreeStep {
  const effects: HandsFreeEffect[] = []
  if (state.voice !== 'none') effects.push({ type: 'stopSound' })
  if (state.reply === 'running') effects.push({ type: 'stopReply' })
  return { state: { ...state, voice: 'none', needsPermission: false, reply: stopping(state.reply) }, effects }
}

/** A message that is being sent gets its reply stopped when the chat has accepted it. */
const stopping = (reply: HandsFree['reply']): HandsFree['reply'] => (reply === 'none' ? 'none' : 'stopping')

function stop(state: HandsFree): HandsFreeStep {
  const { effects } = bargeIn(state)
  return {
    state: { ...initialHandsFree, input: state.input, reply: stopping(state.reply) },
    effects: [{ type: 'closeMicrophone' }, { type: 'cancelTranscriptions' }, ...effects],
  }
}

function fail(state: HandsFree, failure: HandsFreeFailure): HandsFreeStep {
  if (state.failure) return same(state)
  const effects: HandsFreeEffect[] = [{ type: 'closeMicrophone' }]
  if (failure.kind === 'speak') effects.push({ type: 'stopSound' })
  return { state: { ...state, failure, hearing: false, microphone: 'closed' }, effects }
}

function sent(state: HandsFree): HandsFreeStep {
  if (state.reply === 'stopping') return { state: { ...state, outgoing: null }, effects: [{ type: 'stopReply' }] }
  if (state.reply !== 'sending') return same(state)
  return { state: { ...state, outgoing: null, reply: 'running', voice: 'waiting' }, effects: [{ type: 'speak' }] }
}

function sendFailed(state: HandsFree, problem: Problem | null): HandsFreeStep {
  if (state.reply !== 'sending' && state.reply !== 'stopping') return same(state)
  const free: HandsFree = { ...state, reply: 'none' }
  if (state.on && state.outgoing !== null) return fail(free, { kind: 'send', problem })
  // A repeated request for a reply has no text.
  return state.on && state.reply === 'sending' ? fail(free, { kind: 'reply', problem }) : same(free)
}

function replyEnded(
  state: HandsFree,
  { end, problem }: Extract<HandsFreeEvent, { type: 'replyEnded' }>,
): HandsFreeStep {
  const { reply } = state
  if (reply !== 'running' && reply !== 'stopping') return same(state)
  const free: HandsFree = { ...state, reply: 'none', needsPermission: false }
  if (!state.on || reply === 'stopping' || end === 'complete') return same(free)
  const quiet: HandsFree = { ...free, voice: 'none' }
  const effects: HandsFreeEffect[] = state.voice === 'none' ? [] : [{ type: 'stopSound' }]
  if (end === 'stopped') return { state: quiet, effects }
  const failed = fail(quiet, { kind: 'reply', problem })
  return { state: failed.state, effects: [...effects, ...failed.effects] }
}

function retry(state: HandsFree): HandsFreeStep {
  const { failure } = state
  if (!failure) return same(state)
  const { state: again, effects } = reopened(state)
  switch (failure.kind) {
    case 'microphone':
      return { state: again, effects }
    case 'transcribe':
      return { state: again, effects: [...effects, { type: 'transcribe', turn: failure.turn }] }
    case 'send': {
      const { outgoing } = state
      if (outgoing === null || state.reply !== 'none') return { state: again, effects }
      return { state: { ...again, reply: 'sending' }, effects: [...effects, { type: 'send', text: outgoing }] }
    }
    case 'reply':
      if (state.reply !== 'none') return { state: again, effects }
      return { state: { ...again, reply: 'sending' }, effects: [...effects, { type: 'retryReply' }] }
    case 'speak':
      return { state: { ...again, voice: 'waiting' }, effects: [...effects, { type: 'speak' }] }
  }
}

/** Goes on without the failed step. A text that could not be sent is in the message field. */
function skip(state: HandsFree): HandsFreeStep {
  const { failure } = state
  if (!failure) return same(state)
  const { state: again, effects } = reopened(state)
  const turns = failure.kind === 'transcribe' ? again.turns.filter(({ id }) => id !== failure.turn) : again.turns
  return { state: { ...again, turns, outgoing: failure.kind === 'send' ? null : again.outgoing }, effects }
}

function reopened(state: HandsFree): HandsFreeStep {
  const again: HandsFree = { ...state, failure: null, paused: false, microphone: 'opening' }
  const sound: HandsFreeEffect[] = state.paused ? [{ type: 'resumeSound' }] : []
  return { state: again, effects: [{ type: 'openMicrophone' }, ...sound] }
}

/** Stores a turn's transcript. A turn without words disappears. */
function withText(turns: HandsFree['turns'], id: number, text: string): HandsFree['turns'] {
  if (text === '') return turns.filter((turn) => turn.id !== id)
  return turns.map((turn) => (turn.id === id && turn.text === null ? { id, text } : turn))
}

/** Sends the finished turns as one message when the person is silent and no reply exists. */
function sendIfReady({ state, effects }: HandsFreeStep): HandsFreeStep {
  const { turns } = state
  const texts = turns.flatMap(({ text }) => text ?? [])
  const waits =
    state.hearing || state.paused || state.failure !== null || state.reply !== 'none' || state.outgoing !== null
  if (!state.on || waits || texts.length === 0 || texts.length < turns.length) return { state, effects }
  const text = texts.join(' ')
  return {
    state: { ...state, turns: [], outgoing: text, reply: 'sending' },
    effects: [...effects, { type: 'send', text }],
  }
}
