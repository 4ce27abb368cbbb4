import { create } from 'zustand'
import type { ChatSetup, Message } from '../../../../src-preload/contract/chat.ts'
import { modelsToAsk, useChat } from '../../../stores/chat.ts'
import { setupOf } from '../setup.ts'

/** Inputs that only some models accept (specification, Chat: behaviour 5). */
export type Able = 'pictures' | 'tools'

/**
 * Models that refused pictures or tools since the window opened. The list of models does not say what they accept, so earlier refusals are
 * the only source. They are only a hint.
 */
export const useRefusals = create<Record<Able, ReadonlySet<string>>>(() => ({ pictures: new Set(), tools: new Set() }))

/** Records refusals of the open chat's last reply. Returns the function that stops it. */
export function followRefusals(): () => void {
  return useChat.subscribe((state, before) => {
    const { open } = state
    if (open === before.open || !open) return
    const refused = refusalOf(open.messages, setupOf(state))
    if (!refused) return
    const { [refused.able]: known } = useRefusals.getState()
    if (!known.has(refused.model)) useRefusals.setState({ [refused.able]: new Set(known).add(refused.model) })
  })
}

/** What the last reply of a path was refused for, as far as known: tools only when the service's message names them. */
export function refusalOf(messages: readonly Message[], { tools }: ChatSetup): { model: string; able: Able } | null {
  const last = messages.at(-1)
  if (last?.status !== 'failed' || last.problem?.status !== 400 || last.model === null) return null
  const { model, problem } = last
  const namesTools = /\b(?:tools?|functions?)\b/i.test(problem.said ?? '')
  if (namesTools && tools.enabled.length > 0 && tools.choice !== 'none') return { model, able: 'tools' }
  const turn = messages.at(-2)
  return turn?.id === last.parentId && turn.attachments.length > 0 ? { model, able: 'pictures' } : null
}

/** The first of the selected models with a known refusal. */
export function useKnownRefusal(able: Able): string | null {
  const refused = useRefusals(({ [able]: models }) => models)
  return useChat((state) => modelsToAsk(state).find((model) => refused.has(model)) ?? null)
}
