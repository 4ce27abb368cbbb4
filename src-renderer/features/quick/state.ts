import { create } from 'zustand'
import type { AppState } from '../../../src-preload/contract/app.ts'
import type { Attachment } from '../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { messageIn, type OpenConversation } from '../../stores/openChat.ts'

/** A screenshot of the next message: being taken or stored, or stored. */
export type Screenshot = { state: 'taking' } | { state: 'ready'; attachment: Attachment }

export interface QuickState {
  text: string
  /** Text of the clipboard that goes with the next message. */
  clipboard: string | null
  screenshot: Screenshot | null
  /** Chosen in this window. Null: the model of new chats. */
  model: string | null
  models: readonly string[]
  /** The chat that the first message started. */
  open: OpenConversation | null
  isSending: boolean
  /** A failure, or a note such as an empty clipboard. */
  problem: Problem | null
  note: string | null
}

/** The state of a new prompt. The model stays. */
export const emptyPrompt = {
  text: '',
  clipboard: null,
  screenshot: null,
  open: null,
  isSending: false,
  problem: null,
  note: null,
} as const satisfies Partial<QuickState>

export const useQuick = create<QuickState>(() => ({ ...emptyPrompt, model: null, models: [] }))

/** The model that the next message goes to. Null while no model is known. */
export function modelToAsk(
  { model, models }: Pick<QuickState, 'model' | 'models'>,
  app: AppState | null,
): string | null {
  const wanted = [model, app?.settings.newChatModel, app?.settings.chatModel]
  // A model that the service does not list would fail.
  return wanted.find((one) => typeof one === 'string' && models.includes(one)) ?? models[0] ?? null
}

/** The message as it is sent: the prompt, then the text of the clipboard. */
export const messageText = ({ text, clipboard }: Pick<QuickState, 'text' | 'clipboard'>): string =>
  [text.trim(), clipboard?.trim() ?? ''].filter((part) => part !== '').join('\n\n')

/** Whether the next message has content, and everything that goes with it is there. */
export const canSend = (state: QuickState, app: AppState | null): boolean =>
  !state.isSending &&
  state.screenshot?.state !== 'taking' &&
  (messageText(state) !== '' || state.screenshot !== null) &&
  modelToAsk(state, app) !== null &&
  !isRunningNow(state)

/** The reply to the last message, or null. */
export const lastReply = ({ open }: Pick<QuickState, 'open'>) =>
  open?.messages.findLast(({ role }) => role === 'assistant') ?? null

export function isRunningNow(state: Pick<QuickState, 'open'>): boolean {
  const status = lastReply(state)?.status
  return status === 'pending' || status === 'streaming'
}

/** Whether this window knows the message. */
export const isKnown = (id: string): boolean => messageIn(useQuick.getState().open, id) !== undefined
