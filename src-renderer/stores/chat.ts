import { create } from 'zustand'
import type {
  ChatSetup,
  Conversation,
  ConversationEvent,
  ConversationListEvent,
  Message,
} from '../../src-preload/contract/chat.ts'
import type { Model } from '../../src-preload/contract/models.ts'
import type { Problem } from '../../src-preload/contract/problem.ts'
import { type ConversationList, emptyList, foldListEvents } from './chatListEvents.ts'
import { foldEvents, isRunning, messageIn, type OpenConversation, opening } from './openChat.ts'

/** The key of the draft of a chat that does not exist yet. */
export const newChat = 'new'

export interface ModelList {
  state: 'idle' | 'loading' | 'ready' | 'failed'
  models: readonly Model[]
  asOf: string | null
  problem: Problem | null
}

/** A sent message that the core has not confirmed yet. */
export interface Sending {
  /** Null while a new chat is being created. */
  conversationId: string | null
  text: string
}

/** The models that the next message goes to. Empty while no model is known. */
export function modelsToAsk({ model, compared }: ChatState): string[] {
  if (compared.length > 1) return [...compared]
  return model === null ? [] : [model]
}

export interface ChatState {
  list: ConversationList
  open: OpenConversation | null
  /** By chat id, or `newChat`. Overrides the stored draft of the chat. */
  drafts: Readonly<Record<string, string>>
  /** Settings changed in this window and not yet saved, by chat id or `newChat`. */
  setups: Readonly<Record<string, ChatSetup>>
  /** The exact model id for the next message. Null until one is picked or known. */
  model: string | null
  /** Two to four models whose replies appear side by side. Empty: only `model`. */
  compared: readonly string[]
  models: ModelList
  sending: Sending | null
  sendProblem: Problem | null
  /** Replies that are being cancelled. */
  stopping: ReadonlySet<string>
  /** The reply that the inspector describes. Null: the last one. */
  inspected: string | null
  /** A failure that belongs to no reply, for example of a rename. */
  notice: Problem | null
}

export const initialChat: ChatState = {
  list: emptyList,
  open: null,
  drafts: {},
  setups: {},
  model: null,
  compared: [],
  models: { state: 'idle', models: [], asOf: null, problem: null },
  sending: null,
  sendProblem: null,
  stopping: new Set(),
  inspected: null,
  notice: null,
}

export const useChat = create<ChatState>(() => initialChat)

export function applyListEvents(state: ChatState, events: readonly ConversationListEvent[]): Partial<ChatState> {
  return { list: foldListEvents(state.list, events) }
}

/** Applies events of the chat `id`. Ignored when another chat is open by now. */
export function applyEvents(state: ChatState, id: string, events: readonly ConversationEvent[]): Partial<ChatState> {
  if (state.open?.id !== id) return {}
  const open = foldEvents(state.open, events)
  const running = new Set<string>()
  for (const replyId of state.stopping) {
    const reply = messageIn(open, replyId)
    if (reply && isRunning(reply)) running.add(replyId)
  }
  // Selects the chat's model when its first snapshot arrives.
  const own = state.open.state === 'loading' && open.state === 'live' ? open.conversation?.model : null
  const stopping = running.size === state.stopping.size ? state.stopping : running
  return own ? { open, stopping, model: own } : { open, stopping }
}

/** Opens a chat on the stage, or with null an empty new chat. */
export function openConversation(state: ChatState, id: string | null): Partial<ChatState> {
  if (id !== null && state.open?.id === id) return {}
  const known = state.list.conversations.find((one) => one.id === id)
  return {
    open: id === null ? null : opening(id),
    model: known?.model ?? state.model,
    sendProblem: null,
    inspected: null,
  }
}

export function setDraft(state: ChatState, key: string, text: string): Partial<ChatState> {
  return { drafts: { ...state.drafts, [key]: text } }
}

/** The text in the composer: the text typed in this window, otherwise the stored draft. */
export function draftOf(state: ChatState): string {
  const id = state.open?.id
  if (id === undefined) return state.drafts[newChat] ?? ''
  return state.drafts[id] ?? state.open?.conversation?.draft ?? findConversation(state, id)?.draft ?? ''
}

export function beginSending(state: ChatState, sending: Sending): Partial<ChatState> {
  return { sending, sendProblem: null, ...setDraft(state, sending.conversationId ?? newChat, '') }
}

/** Returns the text of a refused message to the composer, unless the person has typed something else. */
export function failSending(state: ChatState, sending: Sending, problem: Problem): Partial<ChatState> {
  if (state.sending !== sending) return {}
  const key = sending.conversationId ?? newChat
  const typed = state.drafts[key] ?? ''
  return { sending: null, sendProblem: problem, ...(typed === '' ? setDraft(state, key, sending.text) : {}) }
}

export function markStopping(state: ChatState, replyId: string): Partial<ChatState> {
  return { stopping: new Set(state.stopping).add(replyId) }
}

export function unmarkStopping(state: ChatState, replyId: string): Partial<ChatState> {
  const stopping = new Set(state.stopping)
  stopping.delete(replyId)
  return { stopping }
}

export function findConversation(state: ChatState, id: string): Conversation | null {
  return state.list.conversations.find((one) => one.id === id) ?? null
}

/** The reply that the inspector describes: the chosen one, otherwise the last one. */
export function inspectedReply(state: ChatState): Message | null {
  const chosen = state.inspected && messageIn(state.open, state.inspected)
  return chosen || (state.open?.messages.findLast((message) => message.role === 'assistant') ?? null)
}
