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
export const mayChat = (id: string, { facts }: { facts: FactsById } = useModelFacts.getState()): boolean =>
  (facts.get(id)?.notForChat ?? null) === null

/**
 * Names of models that take images. Only a guess, used to offer a model: the service's list says nothing about images (specification,
 * GET /v1/models).
 */
const namedForImages =
  /(?<![a-z])(?:vision|vlm?|multimodal|llava|pixtral)(?![a-z])|gpt-(?:4o|4\.1|[5-9])|claude|gemini/i

/** Whether replies or, for a model without an answer yet, its name say that it takes images. */
const takesImages = (id: string, facts: FactsById): boolean => {
  const known = facts.get(id)?.images ?? null
  return known === null ? namedForImages.test(id) : known === 'works'
}

/**
 * The model to offer for images in place of `chosen`, or null: `chosen` is believed to take them, or no other is. Models that took an image
 * come first. The sandbox's test models are offered only in place of another one.
 */
export function betterForImages(chosen: string, models: readonly Model[], facts: FactsById): string | null {
  if (takesImages(chosen, facts)) return null
  const isTest = models.some((model) => model.id === chosen && isTestModel(model))
  const able = models.filter(
    (model) => takesImages(model.id, facts) && mayChat(model.id, { facts }) && (isTest || !isTestModel(model)),
  )
  return (able.find(({ id }) => facts.get(id)?.images === 'works') ?? able[0])?.id ?? null
}

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
