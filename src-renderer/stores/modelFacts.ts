import { create } from 'zustand'
import type { Model, ModelFacts } from '../../src-preload/contract/models.ts'

/** Facts about the connection's models that the service's list does not contain, by model id. */
export type FactsById = ReadonlyMap<string, ModelFacts>

/** `isLoaded`: the facts were read at least once since the window was opened. */
export const useModelFacts = create<{ facts: FactsById; isLoaded: boolean }>(() => ({
  facts: new Map(),
  isLoaded: false,
}))

export const setModelFacts = (facts: readonly ModelFacts[]): void =>
  useModelFacts.setState({ facts: new Map(facts.map((one) => [one.id, one])), isLoaded: true })

export function markFavourite(id: string, favourite: boolean): void {
  const { facts } = useModelFacts.getState()
  useModelFacts.setState({ facts: new Map(facts).set(id, { ...(facts.get(id) ?? unknown(id)), favourite }) })
}

/** Whether the model may be a chat model. True also for models without facts. */
export const mayChat = (id: string, { facts } = useModelFacts.getState()): boolean =>
  (facts.get(id)?.notForChat ?? null) === null

/** Whether a model of the sandbox is for tests: sample text, tool calls, faults. */
export const isTestModel = ({ ownedBy }: Pick<Model, 'ownedBy'>): boolean => ownedBy?.startsWith('sandbox-') ?? false

const unknown = (id: string): ModelFacts => ({
  id,
  favourite: false,
  repliedAt: null,
  notForChat: null,
  images: null,
  tools: null,
  context: null,
  price: null,
})
