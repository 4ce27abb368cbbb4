import type { SandboxModel } from '../world/models.ts'
import type { Pace } from './pace.ts'
import type { SandboxChatRequest } from './request.ts'
import type { Tokenizer } from './tokens.ts'

export interface PlannedCall {
  id: string
  name: string
  /** JSON text that satisfies the tool's schema. */
  arguments: string
}

/** What a speaker says before it is measured, stopped and cut. */
export interface ReplyDraft {
  reasoning?: string
  content: string
  calls?: PlannedCall[]
  /** True where the text is longer than `pace.tokens` by design and is to be cut there without being "length". */
  exact?: boolean
}

export interface Brief {
  request: SandboxChatRequest
  model: SandboxModel
  pace: Pace
  /** Bytes of the request body, for the mirror. */
  bodyBytes: number
  /** Text that the same request always gives, and another choice or seed doesn't. */
  seed: string
  tokenizer: Tokenizer
}
