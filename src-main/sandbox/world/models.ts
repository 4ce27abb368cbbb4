/** SC per million tokens (chat), or per call, minute or thousand bytes (`each`). Decimal text, so that the price stays exact. */
export interface Price {
  input: string
  cached: string
  output: string
  each: string
}

export interface SandboxModel {
  id: string
  kind: 'chat' | 'speech' | 'transcription' | 'image'
  /** The speaker that writes the answers. */
  speaker: 'guide' | 'mirror' | 'writer' | 'reasoner' | 'tool-caller' | 'vision' | 'document-writer' | 'citer'
  price: Price
  free: boolean
  /** Whether messages may contain images. */
  vision: boolean
  tools: boolean
  severalChoices: boolean
  /** Stream speed unless the request sets one. */
  tokensPerSecond: number
  /** Approximate length of an answer unless the request sets one. */
  tokens: number
  /** Context length in tokens; a longer request is refused with 400. Null: no limit. */
  context: number | null
  reasoningField: 'reasoning_content' | 'reasoning'
  /** Weight in the seeded history. */
  history: number
  created: number
}

const price = (input: string, cached: string, output: string): Price => ({ input, cached, output, each: '0' })
const each = (amount: string): Price => ({ input: '0', cached: '0', output: '0', each: amount })

const model = (id: string, rest: Partial<SandboxModel>): SandboxModel => ({
  id,
  kind: 'chat',
  speaker: 'writer',
  price: price('0.5', '0.05', '1.5'),
  free: false,
  vision: false,
  tools: false,
  severalChoices: false,
  tokensPerSecond: 80,
  tokens: 220,
  context: null,
  reasoningField: 'reasoning_content',
  history: 0,
  created: 1_767_225_600,
  ...rest,
})

/** Models that need no other model to be useful. The others are for tests, and `owned_by` says so. */
const useful = new Set(['guide', 'tts-1', 'whisper-large-v3', 'whisper-large-v3-turbo', 'whisper-1', 'painter'])

/** Prefix of models that order a fault: `fault/<name>`. */
export const FAULT_MODEL_PREFIX = 'fault/'

export const MODELS: readonly SandboxModel[] = [
  model('guide', {
    speaker: 'guide',
    vision: true,
    tools: true,
    severalChoices: true,
    tokensPerSecond: 150,
    history: 1,
  }),
  model('writer-small', { severalChoices: true, tokensPerSecond: 90, history: 2 }),
  model('writer-large', {
    severalChoices: true,
    tokensPerSecond: 60,
    tokens: 700,
    price: price('3', '0.3', '12'),
    history: 1,
  }),
  model('writer-free', { free: true, price: price('0', '0', '0'), history: 0.5 }),
  model('mirror', {
    speaker: 'mirror',
    vision: true,
    tools: true,
    severalChoices: true,
    tokensPerSecond: 400,
    price: price('0.1', '0.01', '0.1'),
    history: 0.3,
  }),
  model('reasoner', { speaker: 'reasoner', tokensPerSecond: 70, price: price('2', '0.2', '8'), history: 0.5 }),
  model('reasoner-alt', {
    speaker: 'reasoner',
    reasoningField: 'reasoning',
    tokensPerSecond: 70,
    price: price('2', '0.2', '8'),
  }),
  model('tool-caller', { speaker: 'tool-caller', tools: true, tokensPerSecond: 120, price: price('1', '0.1', '3') }),
  model('vision', { speaker: 'vision', vision: true, tokensPerSecond: 90, price: price('1', '0.1', '3') }),
  model('small-context', { context: 2048, tokens: 120, tokensPerSecond: 120 }),
  model('document-writer', { speaker: 'document-writer', tokensPerSecond: 150 }),
  model('citer', { speaker: 'citer', tokensPerSecond: 150 }),
  // Speech per thousand bytes, transcription per started minute, images per image.
  model('tts-1', { kind: 'speech', price: each('0.015'), history: 0.3 }),
  model('whisper-large-v3', { kind: 'transcription', price: each('0.006') }),
  model('whisper-large-v3-turbo', { kind: 'transcription', price: each('0.004'), history: 0.2 }),
  model('whisper-1', { kind: 'transcription', price: each('0.004') }),
  model('painter', { kind: 'image', price: each('0.04'), history: 0.2 }),
]

const byId = new Map(MODELS.map((entry) => [entry.id, entry]))

/** Returns a model by its exact id, or null. A `fault/...` model writes like `writer-small`. It accepts tools and calls none, so that coding agents can meet faults. */
export function findModel(id: string, faultNames: ReadonlySet<string>): SandboxModel | null {
  if (!id.startsWith(FAULT_MODEL_PREFIX)) return byId.get(id) ?? null
  return faultNames.has(id.slice(FAULT_MODEL_PREFIX.length))
    ? model(id, { severalChoices: true, tools: true, tokens: 60 })
    : null
}

/** `GET /v1/models` of a replay. */
export const recordedModels = (ids: readonly string[]) => ({
  object: 'list',
  data: ids.map((id) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'replay' })),
})

/** `GET /v1/models`. */
export const modelList = (faultNames: Iterable<string>) => ({
  object: 'list',
  data: [...MODELS.map((entry) => entry.id), ...[...faultNames].map((name) => FAULT_MODEL_PREFIX + name)].map((id) => ({
    id,
    object: 'model',
    created: byId.get(id)?.created ?? 1_767_225_600,
    owned_by: useful.has(id) ? 'sandbox' : id.startsWith(FAULT_MODEL_PREFIX) ? 'sandbox-faults' : 'sandbox-tests',
  })),
})
