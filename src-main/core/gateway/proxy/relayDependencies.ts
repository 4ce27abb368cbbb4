import type { Connection } from '../../../../src-preload/contract/app.ts'
import type { Model } from '../../../../src-preload/contract/models.ts'
import type { ProgramId } from '../../../../src-preload/contract/programs.ts'
import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import type { Allowance, RequestLog } from '../../ports/requests.ts'
import type { StoredResponses } from '../../ports/storedResponses.ts'
import type { Nano } from '../../shared/money.ts'
import type { ForwardReply, ForwardRequest } from '../../upstream/types.ts'
import type { ReasoningRefusals } from '../apps/reasoningRefusals.ts'
import type { ModelAbilities } from '../dialects/types.ts'
import type { BodyMemory } from './bodyMemory.ts'
import type { RequestFileTexts } from './fileTexts.ts'
import type { TranslationThreads } from './translationThreads.ts'

export type Forward = (request: ForwardRequest) => Promise<ForwardReply>

/** What the relay uses. */
export interface RelayDependencies {
  /** Sends a request to the service that is connected now. Null while none is. */
  forward(): Forward | null
  /** The connection as the window shows it, for `/readyz`. */
  connection(): Pick<Connection, 'state' | 'problem'>
  /** The service's models as last fetched. Null when they were never fetched. */
  models(): readonly Model[] | null
  requestLog: RequestLog
  allowance: Allowance
  /** The estimated maximum cost of a request in nano-SC, or null if the price is unknown. */
  price(endpoint: Endpoint, model: string | null, use: EstimatedUse): Nano | null
  /** Tokens of a typical reply of this model. */
  typicalOut(model: string | null): number
  /** Origin of the local API, such as `http://127.0.0.1:8787`. */
  local(): string
  /** Memory for buffered bodies. */
  memory: BodyMemory
  /** Responses that apps asked to store. */
  responses: StoredResponses
  /** The key of this computer that seals reasoning for apps: 32 random bytes, made at first use. Not the service's key. */
  sealingKey(): Uint8Array
  /** Which models refuse the reasoning of earlier messages. */
  reasoningRefusals: ReasoningRefusals
  /** What is known about a model of the service that is connected now. */
  abilities(model: string): ModelAbilities
  /** A reply of this model has reasoning. */
  reasoned(model: string): void
  /** Programs whose configuration files have a key of the app. */
  connectedPrograms(appId: string): ProgramId[]
  /** How long the connection of an app stays open after the event that ends a broken stream (chatStream.ts), ms. */
  eventReadingMs: number
  /** Translates large requests of other vendors' APIs. */
  translation: TranslationThreads
  /** Reads files in requests of other vendors' APIs. */
  fileTexts: RequestFileTexts
}

/** The expected use of one request. `count` is the number of choices or images. */
interface EstimatedUse {
  tokensIn: number
  tokensCached: number
  tokensOut: number
  bytesUp: number
  count: number
}
