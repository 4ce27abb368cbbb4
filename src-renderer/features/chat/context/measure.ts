import { useEffect } from 'react'
import { create } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { ContextMeasure } from '../../../../src-preload/contract/context.ts'
import { filesToSend } from '../../../../src-preload/contract/projects.ts'
import type { Level } from '../../../shared/ui/Meter.tsx'
import { draftOf, modelsToAsk, newChat, useChat } from '../../../stores/chat.ts'
import { useModelFacts } from '../../../stores/modelFacts.ts'
import { client } from '../client.ts'
import { draftPictures } from '../composer/draftPictures.ts'
import { attachedOf, draftDocuments } from '../documents/draftDocuments.ts'
import { useNextContext } from '../projects/context.ts'
import { useSetup } from '../setup.ts'

/** The newest measure, and the chat (or `newChat`) that it belongs to. */
interface MeasuredContext {
  draft: string | null
  measure: ContextMeasure | null
}

export const useMeasured = create<MeasuredContext>(() => ({ draft: null, measure: null }))

/** The measure of the open chat. Null until it is counted. */
export function useMeasure(): ContextMeasure | null {
  const draft = useChat(({ open }) => open?.id ?? newChat)
  return useMeasured((state) => (state.draft === draft ? state.measure : null))
}

/** Whether the message field has something to send. Without it the next message has no cost yet. */
export function useHasDraft(): boolean {
  const draft = useChat(({ open }) => open?.id ?? newChat)
  const hasText = useChat((state) => draftOf(state).trim() !== '')
  const images = draftPictures.useItems(draft).length
  const documents = draftDocuments.useItems(draft).length
  return hasText || images + documents > 0
}

/** Time after the last change until the core counts again, ms. */
const pause = 300

/** Measures the open chat and its draft after each change. Mount once. */
export function useMeasuring(): void {
  const draft = useChat(({ open }) => open?.id ?? newChat)
  const isThere = useChat(({ open }) => open === null || open.state === 'live')
  const text = useChat(draftOf)
  const settled = useChat(({ open }) => open?.settled)
  const conversation = useChat(({ open }) => open?.conversation)
  const models = useChat(useShallow(modelsToAsk))
  const setup = useSetup()
  const images = draftPictures.useItems(draft).length
  const documents = draftDocuments.useItems(draft)
  const added = useNextContext(({ context }) => context)
  const facts = useModelFacts((state) => state.facts)

  // biome-ignore lint/correctness/useExhaustiveDependencies: counts again when messages, the chat or facts change
  useEffect(() => {
    const core = client()
    if (!core || !isThere) return
    const ended = new AbortController()
    const measure = (): void => {
      const input = {
        conversationId: draft === newChat ? null : draft,
        setup,
        models,
        text,
        images,
        ...filesToSend(added, attachedOf(documents)),
      }
      core.context.measure(input, { signal: ended.signal }).then(
        (found) => !ended.signal.aborted && useMeasured.setState({ draft, measure: found }),
        // A draft that cannot be counted now has no measure, for example while the connection to the core is lost. The next change counts
        // again.
        () => !ended.signal.aborted && useMeasured.setState({ draft: null, measure: null }),
      )
    }
    const timer = setTimeout(measure, pause)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [draft, isThere, text, settled, conversation, models, setup, images, documents, added, facts])
}

/** Share of the context from which it counts as nearly full. */
const nearlyFull = 0.8

/** How full the context is. `unknown`: the model's context length is not known. */
export function fullness({
  total,
  length,
}: Pick<ContextMeasure, 'total' | 'length'>): 'unknown' | 'free' | 'nearlyFull' | 'tooLong' {
  if (length.tokens === null) return 'unknown'
  if (total > length.tokens) return 'tooLong'
  return total >= length.tokens * nearlyFull ? 'nearlyFull' : 'free'
}

/** The colour of a bar for each fullness. */
export const levels: Record<ReturnType<typeof fullness>, Level> = {
  unknown: 'good',
  free: 'good',
  nearlyFull: 'warn',
  tooLong: 'bad',
}
