import { create } from 'zustand'
import type { ModelFacts } from '../../src-preload/contract/models.ts'

/** By model id: what is known about the models of the connection, apart from the service's list. */
export type FactsById = ReadonlyMap<string, ModelFacts>

export const useModelFacts = create<{ facts: FactsById }>(() => ({ facts: new Map() }))

export const setModelFacts = (facts: readonly ModelFacts[]): void =>
  useModelFacts.setState({ facts: new Map(facts.map((one) => [one.id, one])) })

export function markFavourite(id: string, favourite: boolean): void {
  const { facts } = useModelFacts.getState()
  useModelFacts.setState({ facts: new Map(facts).set(id, { ...(facts.get(id) ?? unknown(id)), favourite }) })
}

/** Whether nothing says that the model is for something else. */
export const mayChat = (id: string, { facts } = useModelFacts.getState()): boolean =>
  (facts.get(id)?.notForChat ?? null) === null

const unknown = (id: string): ModelFacts => ({
  ...{ id, favourite: false, repliedAt: null, notForChat: null, images: null, tools: null, price: null },
})
