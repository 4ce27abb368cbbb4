import type { SandboxModel } from '../world/models.ts'
import type { Pace } from './pace.ts'
import type { SandboxChatRequest } from './request.ts'
import type { Tokenizer } from './tokens.ts'

/** A tool call that a reply makes. */
export interface PlannedCall {
  id: string
  name: string
  /** JSON text that satisfies the tool's schema. */
  arguments: string
}

/** A speaker's reply before tokens are counted, `stop` applied and the text cut. */
export interface ReplyDraft {
  reasoning?: string
  content: string
  calls?: PlannedCall[]
  /** True if the text is deliberately longer than `pace.tokens`. Cutting it there does not give the finish reason "length". */
  exact?: boolean
}

/** What a model gets for one reply. */
export interface Brief {
  request: SandboxChatRequest
  model: SandboxModel
  pace: Pace
  /** Bytes of the request body, shown by the mirror. */
  bodyBytes: number
  /** Seed of the text: the same for equal requests, different for another choice or seed. */
  seed: string
  tokenizer: Tokenizer
}
