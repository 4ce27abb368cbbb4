import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { instant, procedure } from './problem.ts'
import { download } from './transfers.ts'

/** An amount in SC as an exact decimal string. */
export const sc = z.string().regex(/^\d{1,15}(?:\.\d{1,18})?$/)

/** Category of a request: the endpoints of the specification, files named by the service, and all other paths. */
export const endpoint = z.enum([
  'chat',
  'completions',
  'speech',
  'transcription',
  'images',
  'models',
  'account',
  'files',
  'other',
])
export type Endpoint = z.infer<typeof endpoint>

/** API of another vendor in which an app sent a request: OpenAI Responses or Anthropic Messages. It is translated to chat completions. */
export const dialect = z.enum(['responses', 'messages', 'gemini', 'ollama'])
export type RequestDialect = z.infer<typeof dialect>

/**
 * What a person answered to the question whether requests of an app may be sent. `once`: those that wait. `more`: the exceeded budgets are
 * raised by an amount until their day or month ends, a total budget for good. `tomorrow`: all of these reasons until midnight UTC. `refuse`: none.
 */
export const answerKind = z.enum(['once', 'more', 'tomorrow', 'refuse'])
export type AnswerKind = z.infer<typeof answerKind>

/** Colours of apps. Each has a name, so that no information depends on colour alone. */
export const colour = z.enum(['blue', 'teal', 'violet', 'amber', 'rose', 'green', 'slate', 'orange'])
export type Colour = z.infer<typeof colour>

export const studioFeature = z.enum(['chat', 'titles', 'actions', 'speech', 'transcribe', 'images', 'account', 'again'])

export const who = z.discriminatedUnion('kind', [
  /** Current name and colour, also after a rename. */
  z.object({ kind: z.literal('app'), id: z.string(), name: z.string(), colour }),
  z.object({ kind: z.literal('studio'), feature: studioFeature }),
  /** A caller without a valid app key. `from` is a text such as `a web page at https://evil.example`. */
  z.object({ kind: z.literal('stranger'), from: z.string() }),
])
export type Who = z.infer<typeof who>

/**
 * State of a request. `waiting`: queued. `backing_off`: before the next attempt. `sent`: no response yet. `streaming`:
 * the response is arriving. `done`: complete response with any status. `failed`: no usable response. `refused`: by this
 * program, before anything was sent. `cancelled`: see `cancelledBy`. `cut`: the service closed the connection in the middle.
 * `unknown`: in flight when the program crashed.
 */
export const requestState = z.enum([
  'waiting',
  'backing_off',
  'sent',
  'streaming',
  'done',
  'failed',
  'refused',
  'cancelled',
  'cut',
  'unknown',
])
export type RequestState = z.infer<typeof requestState>

/** `measured`: reported by the service or fixed by its rules. `estimated`: computed by this program. `unknown`: neither. */
export const certainty = z.enum(['measured', 'estimated', 'unknown'])
export type Certainty = z.infer<typeof certainty>

export const requestRow = z.object({
  /** Increases with time. */
  id: z.number().int(),
  at: instant,
  who,
  method: z.string(),
  /** Path below the base URL, without the query. */
  path: z.string(),
  endpoint,
  /** Null for a request in the service's own API. */
  dialect: dialect.nullable(),
  /** As sent to the service; null when the request names none or is unreadable. */
  model: z.string().nullable(),
  /** The model that the app asked for, if its model map replaced it; else null. */
  askedModel: z.string().nullable(),
  /** The model that the reply names, if it is not `model`; else null. */
  answeredModel: z.string().nullable(),
  /** Why the reply ended, in the service's word, such as `stop` or `length`. Null when it is unknown. */
  finishReason: z.string().nullable(),
  /** Fields and tools of a translated request that had no effect, and what of its reply could not be expressed. */
  ignored: z.array(z.string()),
  /** Fields that were changed as the app allows (`adaptRequests`): `stop`, `max_tokens`. */
  adapted: z.array(z.string()),
  /** What a person answered when the request waited for an answer; null when nobody was asked, or nobody answered. */
  answer: answerKind.nullable(),
  state: requestState,
  /** Whether an event stream was requested. */
  stream: z.boolean(),
  /** Status sent to the caller, by the service or by this program; null without a response. */
  status: z.number().int().nullable(),
  /** Kind of problem or code of the refusal, and its message. */
  problem: z.object({ kind: z.string(), message: z.string() }).nullable(),
  cancelledBy: z.enum(['app', 'person', 'studio']).nullable(),
  attempts: z.number().int(),
  /** Statuses of the attempts that were retried, in order; 0 is a lost connection. */
  retriedAfter: z.array(z.number().int()),
  /** Durations in ms: in the queue, in back-off, until connected, from start to the first body byte and to the end. */
  queuedMs: z.number(),
  backoffMs: z.number(),
  connectMs: z.number().nullable(),
  firstByteMs: z.number().nullable(),
  durationMs: z.number().nullable(),
  /** Size of the bodies, bytes. */
  bytesUp: z.number().int(),
  bytesDown: z.number().int(),
  tokensIn: z.number().int().nullable(),
  tokensOut: z.number().int().nullable(),
  /** Included in `tokensIn`. */
  tokensCached: z.number().int().nullable(),
  tokensAre: certainty,
  /** Null when `costIs` is `unknown`. */
  cost: sc.nullable(),
  costIs: certainty,
  /** Request id of the service. */
  requestId: z.string().nullable(),
  /** Number of equal refusals from the same origin that this row combines. `at` is the time of the last one, within 100 ms. */
  times: z.number().int(),
  hasBodies: z.boolean(),
})
export type RequestRow = z.infer<typeof requestRow>

/** All given conditions must match. */
export const requestFilter = z.object({
  /** Id of an app, `studio`, `studio:FEATURE` or `strangers`. */
  who: z.string().max(80).optional(),
  model: z.string().max(300).optional(),
  /** False excludes the studio's own requests about the account, which it sends automatically every few minutes. */
  polling: z.literal(false).optional(),
  /**
   * `open`: running. `ok`: done with a status below 400. `failed`: failed, cut, unknown, or done with an error status.
   */
  outcome: z.enum(['open', 'ok', 'failed', 'refused', 'cancelled']).optional(),
  /** Text to find in path, model, app name, problem or request id, ignoring case. */
  text: z.string().max(300).optional(),
  since: instant.optional(),
  until: instant.optional(),
})
export type RequestFilter = z.infer<typeof requestFilter>

const loggedBody = z.object({
  /** UTF-8 text without secrets; null for binary bodies. */
  text: z.string().nullable(),
  /** Size of the whole body, also when `text` is capped. */
  bytes: z.number().int(),
  capped: z.boolean(),
})
export type LoggedBody = z.infer<typeof loggedBody>
const headerPairs = z.array(z.tuple([z.string(), z.string()]))

export const requestDetail = z.object({
  row: requestRow,
  /** Without secrets. Null when not stored: headers are stored until the program ends, or as long as the bodies. */
  requestHeaders: headerPairs.nullable(),
  replyHeaders: headerPairs.nullable(),
  /** Null when bodies are not stored for this caller, or were deleted. */
  requestBody: loggedBody.nullable(),
  replyBody: loggedBody.nullable(),
  /** The request that this one repeats (`askAgain`), as long as the bodies are stored; else null. */
  againOf: z.number().int().nullable(),
})
export type RequestDetail = z.infer<typeof requestDetail>

export const requestsEvent = z.discriminatedUnion('type', [
  /** Always first: the newest matching rows, newest first. */
  z.object({ type: z.literal('snapshot'), rows: z.array(requestRow) }),
  /** New and changed rows that match the filter, at most ten times per second. */
  z.object({
    type: z.literal('rows'),
    rows: z.array(requestRow),
    /** Rows that replaced an earlier row, because a refusal was repeated. The new row has the time of the repeat. */
    moved: z.array(z.object({ from: z.number().int(), to: z.number().int() })).optional(),
  }),
  /** Rows were deleted. The caller must query again. */
  z.object({ type: z.literal('erased') }),
])
export type RequestsEvent = z.infer<typeof requestsEvent>

export const requestCounts = z.object({
  /** Stored rows that match the filter. */
  stored: z.number().int(),
  /** Requests that this program refused since midnight UTC, of all callers. A row can combine several: the `times` of the rows add up to this. */
  refusedToday: z.number().int(),
  /** Size of the stored bodies on disk. */
  bodyBytes: z.number().int(),
})

/** A rule by which keys are removed from bodies and headers before they are stored. */
export const secretRule = z.object({
  /** As in the mark that replaces a key: `[secret: github]`. */
  id: z.string(),
  name: z.string(),
  /** How such a key begins, for a person. */
  example: z.string(),
})
export type SecretRule = z.infer<typeof secretRule>

/** Beginning of the person's own keys, such as `acme-live-`. It is searched as it is. */
export const secretBeginning = z.string().regex(/^[\w.~+/=:-]{4,100}$/)

/** Most requests of one fixture. */
export const maxFixtureRequests = 500

/** Requests for a fixture: chosen ones, or the newest that match a filter. */
export const requestSelection = z.union([
  z.object({ ids: z.array(z.number().int()).min(1).max(maxFixtureRequests) }),
  z.object({ filter: requestFilter }),
])
export type RequestSelection = z.infer<typeof requestSelection>

/** What a fixture has of a selection. `incomplete`: bodies that are not stored, or only in part. `unsuitable`: no request with a JSON body and a reply in text. */
export const fixtureCounts = z.object({
  requests: z.number().int(),
  incomplete: z.number().int(),
  unsuitable: z.number().int(),
})
export type FixtureCounts = z.infer<typeof fixtureCounts>

/** A running replay: a sandbox that answers with recorded replies. */
export const replay = fixtureCounts.extend({
  /** `http://127.0.0.1:PORT/v1`. */
  baseUrl: z.string(),
  apiKey: z.string(),
  timing: z.enum(['recorded', 'immediate']),
})
export type Replay = z.infer<typeof replay>

/** Largest body of a request that is asked again, UTF-16 units. */
export const maxAgainBody = 1024 * 1024

/** A request that is asked again: the id of its row first. `end`: the row and its bodies are complete. */
export const againEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('row'), id: z.number().int() }),
  z.object({ type: z.literal('end') }),
])
export type AgainEvent = z.infer<typeof againEvent>

export const requestsProcedures = {
  /** Sends the `newest` newest rows that match, then changes, until the caller aborts. */
  watch: procedure
    .input(z.object({ filter: requestFilter, newest: z.number().int().min(1).max(1000).default(200) }))
    .output(eventIterator(requestsEvent)),
  /** Older rows, newest first, with ids below `before`. Fewer than `limit` means the end. */
  page: procedure
    .input(z.object({ filter: requestFilter, before: z.number().int(), limit: z.number().int().min(1).max(1000) }))
    .output(z.object({ rows: z.array(requestRow) })),
  counts: procedure.input(z.object({ filter: requestFilter })).output(requestCounts),
  get: procedure.input(z.object({ id: z.number().int() })).output(requestDetail),
  /** The matching rows, newest first, as a CSV file: exact amounts, and no cell that a spreadsheet reads as a formula. */
  export: procedure.input(z.object({ filter: requestFilter })).output(download),
  /** Cancels a queued or running request. `stopped` is false when it had ended. */
  stop: procedure.input(z.object({ id: z.number().int() })).output(z.object({ stopped: z.boolean() })),
  /** Deletes stored bodies of one request, of one app, or all. The rows stay. */
  deleteBodies: procedure
    .input(z.union([z.literal('all'), z.object({ id: z.number().int() }), z.object({ app: z.string() })]))
    .output(z.object({ erased: z.number().int() })),
  /**
   * Sends a request of the studio to the path of a logged POST request, with this JSON body. Its row names the original. Ending the
   * subscription ends the request. @throws `bad_input`, `no_such_item`, errors of the service
   */
  askAgain: procedure
    .input(z.object({ id: z.number().int(), body: z.string().max(maxAgainBody) }))
    .output(eventIterator(againEvent)),
  /** The selected requests with their replies as one JSON file, which `sandbox --replay` serves. @throws `bad_input` when none is suitable */
  saveFixture: procedure.input(requestSelection).output(fixtureCounts.extend({ file: download })),
  /** Starts a sandbox that answers the selected requests with their recorded replies, instead of the one that runs. @throws as `saveFixture` */
  startReplay: procedure.input(z.object({ selection: requestSelection, timing: replay.shape.timing })).output(replay),
  stopReplay: procedure.output(z.object({})),
  /** The running replay, or null. */
  replay: procedure.output(replay.nullable()),
  secretRules: procedure.output(z.array(secretRule)),
  /** What the rules find in a text, by id of the rule, and the text as it would be stored. */
  testSecrets: procedure
    .input(z.object({ text: z.string().max(200_000) }))
    .output(z.object({ text: z.string(), found: z.array(z.object({ id: z.string(), count: z.number().int() })) })),
}

/** A refusal that a person should see. */
export const refusal = z.object({
  code: z.string(),
  from: z.string(),
  /** A sentence: `a web page at https://evil.example tried to use the local /v1`. */
  message: z.string(),
  times: z.number().int(),
  firstAt: instant,
  lastAt: instant,
  /** The origin that can be allowed, or null. */
  origin: z.string().nullable(),
})
export type ShownRefusal = z.infer<typeof refusal>
