import { modelsToAsk, useChat } from '../../../stores/chat.ts'
import { type FactsById, useModelFacts } from '../../../stores/modelFacts.ts'
import { loadModelFacts } from '../actions.ts'

/** Inputs that only some models accept (specification, Chat: behaviour 5). The core records for each connection which model refused one. */
export type Able = 'images' | 'tools'

/** Reads the recorded facts again once for each failed reply at the end of the open chat. Returns the function that stops it. */
export function followRefusals(): () => void {
  let known: string | null = null
  return useChat.subscribe(({ open }, before) => {
    const last = open === before.open ? undefined : open?.messages.at(-1)
    if (last?.status !== 'failed' || last.id === known) return
    known = last.id
    void loadModelFacts()
  })
}

/** The first of the models that refused such an input before, or null. */
export const refusingModel = (models: readonly string[], able: Able, facts: FactsById): string | null =>
  models.find((model) => facts.get(model)?.[able] === 'refused') ?? null

/** The first of the selected models that refused such an input before, or null. */
export function useKnownRefusal(able: Able): string | null {
  const facts = useModelFacts((store) => store.facts)
  return useChat((state) => refusingModel(modelsToAsk(state), able, facts))
}
