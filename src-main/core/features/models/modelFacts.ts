import type { Model, ModelFacts } from '../../../../src-preload/contract/models.ts'
import { transcriptionModels } from '../../../../src-preload/contract/transcription.ts'
import { StudioError } from '../../errors.ts'
import { fromAtto } from '../../shared/money.ts'
import type { ListPlace } from '../../store/modelLists.ts'
import type { Ability, ModelNote } from '../../store/modelNotes.ts'
import type { StoredPrice } from '../../store/requestLog/prices.ts'
import type { Store } from '../../store/store.ts'

/** Sources of the facts about models. */
export interface ModelFactsFeature {
  store: Pick<Store, 'modelLists' | 'modelNotes'>
  /** The active profile and its address, or null. The service need not answer. */
  place(): ListPlace | null
  /** Learned prices of the connected service, by model. */
  prices(): ReadonlyMap<string, StoredPrice>
}

const million = 1_000_000n

/** Facts about the listed models and those with a note, for the connection in use. */
export function modelFacts({ store, place, prices }: ModelFactsFeature): { facts: ModelFacts[] } {
  const at = place()
  if (at === null) return { facts: [] }
  const notes = new Map(store.modelNotes.of(at).map((note) => [note.model, note]))
  const listed = (store.modelLists.find(at)?.models ?? []).map(({ id }: Model) => id)
  const priced = prices()
  const facts = [...new Set([...listed, ...notes.keys()])].map((id) => factsOf(id, notes.get(id), priced.get(id)))
  return { facts: facts.filter(isKnown) }
}

/** Marks or unmarks a favourite of the connection in use. @throws StudioError `not_connected` */
export function setFavourite(
  { store, place }: Pick<ModelFactsFeature, 'store' | 'place'>,
  { model, favourite }: { model: string; favourite: boolean },
): void {
  const at = place()
  if (at === null) throw new StudioError('not_connected', 'Nothing is connected yet.')
  store.modelNotes.setFavourite(at, model, favourite)
}

/** Sets the context length of a model of the connection in use, in tokens. @throws StudioError `not_connected` */
export function setContextLength(
  { store, place }: Pick<ModelFactsFeature, 'store' | 'place'>,
  { model, tokens }: { model: string; tokens: number | null },
): void {
  const at = place()
  if (at === null) throw new StudioError('not_connected', 'Nothing is connected yet.')
  store.modelNotes.setContext(at, model, tokens)
}

/** The context length of a model and its source. Null: unknown. */
export function contextOf(
  note: Pick<ModelNote, 'contextSet' | 'contextLearned'> | undefined | null,
): ModelFacts['context'] {
  if (!note) return null
  const { contextSet, contextLearned } = note
  if (contextSet !== null) return { tokens: contextSet, from: 'person' }
  return contextLearned === null ? null : { tokens: contextLearned, from: 'service' }
}

/** What replies have shown about a model of the connection in use, and its context length in tokens. Null: unknown. */
export function abilitiesOf(
  { store, place }: Pick<ModelFactsFeature, 'store' | 'place'>,
  model: string,
): { images: boolean | null; tools: boolean | null; contextLength: number | null } {
  const at = place()
  const note = at && store.modelNotes.find(at, model)
  const works = (ability: Ability): boolean | null => (ability === null ? null : ability === 'works')
  const { images = null, tools = null } = note ?? {}
  return { images: works(images), tools: works(tools), contextLength: contextOf(note)?.tokens ?? null }
}

function factsOf(id: string, note: ModelNote | undefined, price: StoredPrice | undefined): ModelFacts {
  const { favourite = false, repliedAt = null, images = null, tools = null } = note ?? {}
  // A model that replied in a chat is never left out, whatever its name.
  const notForChat = repliedAt === null ? notForChatBy(id, price) : null
  const context = contextOf(note)
  return { id, favourite, repliedAt, notForChat, images, tools, context, price: tokenPrice(price) }
}

const isKnown = ({ favourite, repliedAt, notForChat, images, tools, context, price }: ModelFacts): boolean =>
  favourite || [repliedAt, notForChat, images, tools, context, price].some((fact) => fact !== null)

function tokenPrice(price: StoredPrice | undefined): ModelFacts['price'] {
  if (!price || price.how === 'request') return null
  return { in: fromAtto(price.fresh * million), out: fromAtto(price.out * million) }
}

/**
 * Families of models that other services offer under these names only for speech, transcription or images. The list is short on purpose: a
 * model with an unknown name may support chat.
 */
const families: readonly [ModelFacts['notForChat'], RegExp][] = [
  ['speech', /^(?:tts-1(?:-hd)?|gpt-[\w.-]+-tts)$/],
  ['transcription', /^(?:whisper-(?:\d|large|medium|small|base|tiny)[\w.-]*|gpt-[\w.-]+-transcribe)$/],
  ['image', /^(?:dall-e-\d|gpt-image-\d|stable-diffusion-)[\w.-]*$/],
]

/** The only models of this route (specification, POST /v1/audio/transcriptions). */
const transcribing: ReadonlySet<string> = new Set(transcriptionModels)

function notForChatBy(id: string, price: StoredPrice | undefined): ModelFacts['notForChat'] {
  if (transcribing.has(id)) return 'transcription'
  // Names may have the vendor in front: `openai/tts-1`.
  const name = id.toLowerCase().replace(/^.*\//, '')
  const family = families.find(([, pattern]) => pattern.test(name))
  if (family) return family[0]
  // The account paid for requests to this model, and none of them had tokens. Chat requests always have tokens.
  return price?.how === 'request' ? 'no_tokens' : null
}
