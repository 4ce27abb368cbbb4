import { create } from 'zustand'
import { isBusy, type Message } from '../../../../src-preload/contract/chat.ts'
import { problemOf } from '../../../api/problem.ts'
import { upload } from '../../../api/transfer.ts'
import { NoMicrophone } from '../../../shared/audio/recorder.ts'
import { localStore } from '../../../shared/storage.ts'
import { draftOf, newChat, useChat } from '../../../stores/chat.ts'
import { type OpenConversation, runningReplies } from '../../../stores/openChat.ts'
import { send, stop as stopReplyById } from '../actions.ts'
import { client } from '../client.ts'
import { attachmentsOf, draftPictures } from '../composer/draftPictures.ts'
import { attachedOf, draftDocuments } from '../documents/draftDocuments.ts'
import { writeDraft } from '../drafts.ts'
import { requestAgain } from '../messageActions.ts'
import { isSettledRun, isToolRow } from '../tools/round.ts'
import { stopReading } from '../voice/player.ts'
import { openCapture, type TurnCaptureHandle } from './capture.ts'
import {
  type HandsFree,
  type HandsFreeEffect,
  type HandsFreeEvent,
  initialHandsFree,
  step,
} from './conversationState.ts'
import { EarlyUpload } from './earlyUpload.ts'
import { type ReplySpeaker, speakReply } from './replySpeaker.ts'
import { noTiming, type TurnTimes, type TurnTiming, timingOf } from './timing.ts'
import type { TurnInput } from './turnRecorder.ts'

interface HandsFreeStore {
  state: HandsFree
  /** The device or the system sends silence. */
  muted: boolean
  /** The times of the last turn that was answered with sound. Null before. */
  timing: TurnTiming | null
}

/** The voice conversation of this window. */
export const useHandsFree = create<HandsFreeStore>(() => ({ state: initialHandsFree, muted: false, timing: null }))

const storedInput = 'chat.handsFreeInput'
let capture: TurnCaptureHandle | null = null
let microphone = new AbortController()
/** Aborted when the conversation ends. */
let session = new AbortController()
/** The recordings that have no transcript yet. */
const recordings = new Map<number, File>()
/** The uploads of recordings that began before their turn ended. */
const uploads = new Map<number, Promise<string>>()
const early = new EarlyUpload<File>({ start: uploadTo, cancel: cancelUpload })
let lastTurn = 0
let times: TurnTimes = noTiming
/** The reply of the last message, until its end. */
let reply: FollowedReply | null = null
let speaker: ReplySpeaker | null = null
/** The text of the last reply, and where a failed playback continues. */
let spoken = { text: '', done: false, from: 0 }
/** The chat of this conversation. Null: a new chat that does not exist yet. */
let chatId: string | null = null

export const startHandsFree = (): void => {
  if (useHandsFree.getState().state.on) return
  stopReading()
  chatId = useChat.getState().open?.id ?? null
  useHandsFree.setState({ timing: null, muted: false })
  dispatch({ type: 'start', input: localStore.get(storedInput) === 'hold' ? 'hold' : 'automatic' })
}
export const stopHandsFree = (): void => dispatch({ type: 'stop' })
export const pauseHandsFree = (): void => dispatch({ type: 'pause' })
export const resumeHandsFree = (): void => dispatch({ type: 'resume' })
export const retryHandsFree = (): void => dispatch({ type: 'retry' })
export const skipHandsFree = (): void => dispatch({ type: 'skip' })
/** Records while `held`. Without effect while speech starts turns. */
export const holdToTalk = (held: boolean): void => capture?.hold(held)
/** The microphone's level, 0 to 1. */
export const handsFreeLevel = (): number => capture?.level() ?? 0

export function setTurnInput(input: TurnInput): void {
  localStore.set(storedInput, input)
  dispatch({ type: 'setInput', input })
}

function dispatch(event: HandsFreeEvent): void {
  const { state, effects } = step(useHandsFree.getState().state, event)
  useHandsFree.setState({ state })
  capture?.setGuarded(state.voice === 'speaking')
  for (const effect of effects) run(effect)
}

function run(effect: HandsFreeEffect): void {
  if (effect.type === 'openMicrophone') void open()
  else if (effect.type === 'closeMicrophone') {
    microphone.abort()
    capture = null
    early.drop()
  } else if (effect.type === 'setInput') capture?.setInput(effect.input)
  else if (effect.type === 'transcribe') void transcribe(effect.turn)
  else if (effect.type === 'cancelTranscriptions') {
    session.abort()
    session = new AbortController()
    recordings.clear()
    uploads.clear()
  } else if (effect.type === 'send') void sendText(effect.text)
  else if (effect.type === 'retryReply') void askAgain()
  else if (effect.type === 'stopReply') reply?.stop()
  else if (effect.type === 'speak') startSpeaking()
  else if (effect.type === 'pauseSound') speaker?.pause()
  else if (effect.type === 'resumeSound') speaker?.resume()
  else {
    speaker?.stop()
    speaker = null
  }
}

async function open(): Promise<void> {
  microphone.abort()
  microphone = new AbortController()
  const { signal } = microphone
  const { input } = useHandsFree.getState().state
  const events = {
    onStarted: () => dispatch({ type: 'speechStarted' }),
    onDiscarded: () => {
      early.drop()
      dispatch({ type: 'speechDiscarded' })
    },
    onPause: (file: File) => early.begin(file),
    onTurn: (file: File, spokeUntil: number, asPaused: boolean) => {
      lastTurn += 1
      recordings.set(lastTurn, file)
      const begun = asPaused ? early.take(session.signal) : null
      if (begun) uploads.set(lastTurn, begun)
      else early.drop()
      times = { ...noTiming, spokeUntil, heardAt: performance.now() }
      dispatch({ type: 'speechEnded', turn: lastTurn })
    },
    onLost: () => dispatch({ type: 'microphoneFailed', trouble: 'lost' }),
    onMuted: (muted: boolean) => useHandsFree.setState({ muted }),
  }
  try {
    const opened = await openCapture(input, events, signal)
    if (signal.aborted) return
    capture = opened
    // The person may have changed the input while the microphone opened.
    opened.setInput(useHandsFree.getState().state.input)
    dispatch({ type: 'microphoneOpened' })
  } catch (thrown) {
    if (signal.aborted) return
    dispatch({ type: 'microphoneFailed', trouble: thrown instanceof NoMicrophone ? thrown.trouble : 'busy' })
  }
}

const lostConnection = () => new Error('The connection to Inference Studio is lost: it is closed.')

async function uploadTo(file: File, signal: AbortSignal): Promise<string> {
  const core = client()
  if (!core) throw lostConnection()
  return upload(core, file, { signal })
}

function cancelUpload(uploadId: string): void {
  client()
    ?.transfers.cancelUpload({ uploadId })
    .catch(() => undefined)
}

async function transcribe(turn: number): Promise<void> {
  const core = client()
  const file = recordings.get(turn)
  if (!file) return
  const { signal } = session
  try {
    if (!core) throw lostConnection()
    const begun = uploads.get(turn)
    uploads.delete(turn)
    const uploadId = await (begun?.catch(() => uploadTo(file, signal)) ?? uploadTo(file, signal))
    // The core continues a transcription when the caller leaves, but not when the upload was deleted.
    const drop = (): void => cancelUpload(uploadId)
    if (signal.aborted) drop()
    signal.addEventListener('abort', drop)
    const { text } = await core.voice
      .dictate({ uploadId }, { signal })
      .finally(() => signal.removeEventListener('abort', drop))
    if (signal.aborted) return
    recordings.delete(turn)
    if (turn === lastTurn) times = { ...times, transcribedAt: performance.now() }
    dispatch({ type: 'transcribed', turn, text })
  } catch (thrown) {
    if (!signal.aborted) dispatch({ type: 'transcriptionFailed', turn, problem: problemOf(thrown) })
  }
}

/** Sends a message as the composer does, with the composer's files. The typed text stays there. */
async function sendText(text: string): Promise<void> {
  await chatIsFree()
  const followed = followNext()
  const draft = useChat.getState().open?.id ?? newChat
  const typed = draftOf(useChat.getState())
  const ready = [...draftPictures.of(draft), ...draftDocuments.of(draft)].every(({ state }) => state === 'ready')
  const pictures = ready ? draftPictures.take(draft) : []
  const documents = ready ? draftDocuments.take(draft) : []
  const accepted = await send(text, { attachments: attachmentsOf(pictures), documents: attachedOf(documents) })
  if (accepted && ready) {
    draftPictures.forget(draft, pictures)
    draftDocuments.forget(draft, documents)
  } else if (ready) {
    draftPictures.restore(draft, pictures)
    draftDocuments.restore(draft, documents)
  }
  // `send` empties the field, and after a refusal it contains the transcript.
  if (typed !== '') writeDraft(accepted ? (useChat.getState().open?.id ?? newChat) : draft, typed)
  afterRequest(followed, accepted)
}

/** A message that the person has typed may still be answered. */
function chatIsFree(): Promise<void> {
  const isFree = (): boolean => {
    const { sending, open } = useChat.getState()
    return sending === null && !isBusy(open?.messages ?? [])
  }
  if (isFree()) return Promise.resolve()
  return new Promise((resolve) => {
    const unsubscribe = useChat.subscribe(() => {
      if (!isFree()) return
      unsubscribe()
      resolve()
    })
  })
}

async function askAgain(): Promise<void> {
  const last = useChat.getState().open?.messages.findLast(({ role }) => role === 'assistant')
  const followed = followNext()
  afterRequest(followed, last !== undefined && (await requestAgain(last.id)))
}

function afterRequest(followed: FollowedReply, accepted: boolean): void {
  if (accepted) {
    dispatch({ type: 'sent' })
    followed.begin()
    return
  }
  followed.end()
  dispatch({ type: 'sendFailed', problem: useChat.getState().sendProblem })
}

interface NewReplies {
  last: Message
  text: string
  /** More text follows. */
  busy: boolean
  /** A tool call waits for the person. */
  asks: boolean
}

/**
 * The replies that are new since the messages `known`. Null before the first one.
 */
function repliesOf(open: OpenConversation, known: ReadonlySet<string>): NewReplies | null {
  const turn = open.messages.findLastIndex(({ role }) => role === 'user')
  const after = open.messages.slice(turn + 1).filter(({ id }) => !known.has(id))
  const replies = after.filter(({ role }) => role === 'assistant')
  const last = replies.at(-1)
  if (!last) return null
  return {
    last,
    text: replies.map((one) => one.text || (one.refusal ?? '')).join('\n\n'),
    busy: isBusy(open.messages),
    asks: after.some((row) => isToolRow(row) && !isSettledRun(row.run) && row.run.state !== 'running'),
  }
}

interface FollowedReply {
  begin(): void
  stop(): void
  end(): void
}

/** Follows the next reply of the open chat: its text, its calls of tools and the replies after them, until the chat is free. */
function followNext(): FollowedReply {
  reply?.end()
  spoken = { text: '', done: false, from: 0 }
  const known = new Set(useChat.getState().open?.messages.map(({ id }) => id))
  const startedIn = chatId
  let own: string | null = null
  let unsubscribe = (): void => undefined
  let stopping = false
  const running = new Set<string>()
  const end = (): void => {
    unsubscribe()
    if (reply === followed) reply = null
  }
  const settle = (last: Message | null): void => {
    end()
    const stopped = last === null || last.status === 'stopped' || stopping
    const kind = stopped ? 'stopped' : last.status === 'complete' ? 'complete' : 'failed'
    dispatch({ type: 'replyEnded', end: kind, problem: last?.problem ?? null })
  }
  const stopRunning = (): void => {
    for (const id of running) void stopReplyById(id)
  }
  const take = (open: OpenConversation, seen: NewReplies): void => {
    running.clear()
    for (const { id } of runningReplies(open)) running.add(id)
    spoken = { ...spoken, text: seen.text, done: !seen.busy && !seen.asks }
    speaker?.update(seen.text, spoken.done)
    if (stopping) stopRunning()
    if (seen.asks !== useHandsFree.getState().state.needsPermission) dispatch({ type: 'permission', needed: seen.asks })
    if (spoken.done || (stopping && !seen.busy)) settle(seen.last)
  }
  const look = (): void => {
    const { open } = useChat.getState()
    // Not accepted yet.
    if (own === null) return
    if (open?.id !== own || open.state === 'gone') {
      // The reply belongs to a chat that is no longer on the stage.
      if (stopping) stopRunning()
      settle(null)
      return
    }
    const seen = open.state === 'live' ? repliesOf(open, known) : null
    if (seen) take(open, seen)
  }
  const followed: FollowedReply = {
    begin() {
      if (reply !== followed) return
      own = startedIn ?? useChat.getState().open?.id ?? ''
      unsubscribe = useChat.subscribe(look)
      look()
    },
    stop() {
      stopping = true
      look()
    },
    end,
  }
  reply = followed
  return followed
}

function startSpeaking(): void {
  speaker?.stop()
  const own = speakReply(
    {
      onFirstPiece: () => {
        times = { ...times, firstPieceAt: performance.now() }
      },
      onFirstSound: () => {
        const timing = timingOf(times, performance.now())
        if (timing && spoken.from === 0) useHandsFree.setState({ timing })
        dispatch({ type: 'soundStarted' })
      },
      onEnd: () => dispatch({ type: 'soundEnded' }),
      onFailure: (thrown, from) => {
        spoken = { ...spoken, from }
        dispatch({ type: 'soundFailed', problem: problemOf(thrown) })
      },
    },
    spoken.from,
  )
  speaker = own
  own.update(spoken.text, spoken.done)
}

// The conversation belongs to its chat. A new chat gets its id with the first message.
useChat.subscribe(({ open }) => {
  const { state } = useHandsFree.getState()
  const id = open?.id ?? null
  if (!state.on || id === chatId) return
  const isCreated = chatId === null && (state.reply === 'sending' || state.reply === 'stopping')
  chatId = id
  if (!isCreated) dispatch({ type: 'stop' })
})
