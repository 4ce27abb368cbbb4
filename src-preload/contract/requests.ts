import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { instant, procedure } from './problem.ts'

/** An amount in SC as exact decimal text. */
export const sc = z.string().regex(/^\d{1,15}(?:\.\d{1,18})?$/)

/** What a request is for: the endpoints of the specification, files that the service named, and any other path. */
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

/** Tools' colours; each has a name, so that nothing is told by colour alone. */
export const colour = z.enum(['blue', 'teal', 'violet', 'amber', 'rose', 'green', 'slate', 'orange'])
export type Colour = z.infer<typeof colour>

export const studioFeature = z.enum(['chat', 'speech', 'transcribe', 'images', 'account'])

export const who = z.discriminatedUnion('kind', [
  /** Name and colour as they are now, also of a tool that was renamed since. */
  z.object({ kind: z.literal('app'), id: z.string(), name: z.string(), colour }),
  z.object({ kind: z.literal('studio'), feature: studioFeature }),
  /** Somebody without a key that is good: `from` in words, such as `a web page at https://evil.example`. */
  z.object({ kind: z.literal('stranger'), from: z.string() }),
])
export type Who = z.infer<typeof who>

/**
 * `waiting`: in the queue. `backing_off`: before its next attempt. `sent`: no status line yet. `streaming`: the reply is coming.
 * `done`: the reply came whole, whatever its status. `failed`: no reply, or none of use. `refused`: by this program, nothing was
 * sent. `cancelled`: see `cancelledBy`. `cut`: the service ended it in the middle. `unknown`: it was in flight when the program died.
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

/** `measured`: told by the service or by its rules. `estimated`: computed here. `unknown`: not even that. */
export const certainty = z.enum(['measured', 'estimated', 'unknown'])
export type Certainty = z.infer<typeof certainty>

export const requestRow = z.object({
  /** Grows with time: a later request has a higher one. */
  id: z.number().int(),
  at: instant,
  who,
  method: z.string(),
  /** Below the base address, without its query. */
  path: z.string(),
  endpoint,
  /** As asked for; null where it names none or could not be read. */
  model: z.string().nullable(),
  state: requestState,
  /** Whether the reply was asked for as an event stream. */
  stream: z.boolean(),
  /** What the caller got, from the service or from us; null where nothing came. */
  status: z.number().int().nullable(),
  /** What failed: the kind of problem, or the code of our refusal, and its words. */
  problem: z.object({ kind: z.string(), message: z.string() }).nullable(),
  cancelledBy: z.enum(['app', 'person', 'studio']).nullable(),
  attempts: z.number().int(),
  /** Statuses that were asked again after, in order; 0 stands for a lost connection. */
  retriedAfter: z.array(z.number().int()),
  /** Milliseconds: in the queue, in back-off, until a connection, from the start to the first byte of the body and to the end. */
  queuedMs: z.number(),
  backoffMs: z.number(),
  connectMs: z.number().nullable(),
  firstByteMs: z.number().nullable(),
  durationMs: z.number().nullable(),
  /** Body bytes. */
  bytesUp: z.number().int(),
  bytesDown: z.number().int(),
  tokensIn: z.number().int().nullable(),
  tokensOut: z.number().int().nullable(),
  /** A part of `tokensIn`. */
  tokensCached: z.number().int().nullable(),
  tokensAre: certainty,
  /** Null where `costIs` is `unknown`. */
  cost: sc.nullable(),
  costIs: certainty,
  /** The service's own. */
  requestId: z.string().nullable(),
  /** How many refusals of the same kind from the same place this row stands for. */
  times: z.number().int(),
  hasBodies: z.boolean(),
})
export type RequestRow = z.infer<typeof requestRow>

/** All that is given must hold. */
export const requestFilter = z.object({
  /** A tool key's id, `studio`, `studio:ROOM` or `strangers`. */
  who: z.string().max(80).optional(),
  model: z.string().max(300).optional(),
  /** `open`: under way. `ok`: done with a status below 400. `failed`: failed, cut, unknown, or done with an error status. */
  outcome: z.enum(['open', 'ok', 'failed', 'refused', 'cancelled']).optional(),
  /** Anywhere in path, model, tool name, problem or request id; case does not count. */
  text: z.string().max(300).optional(),
  since: instant.optional(),
  until: instant.optional(),
})
export type RequestFilter = z.infer<typeof requestFilter>

const loggedBody = z.object({
  /** UTF-8 text with secrets cut out; bytes that are no text are told by their size alone. */
  text: z.string().nullable(),
  /** Of the whole body; more than what `text` holds where it was capped. */
  bytes: z.number().int(),
  capped: z.boolean(),
})
export type LoggedBody = z.infer<typeof loggedBody>
const headerPairs = z.array(z.tuple([z.string(), z.string()]))

export const requestDetail = z.object({
  row: requestRow,
  /** Without secrets. Null where they were not kept: they live as long as the program, or as long as the bodies. */
  requestHeaders: headerPairs.nullable(),
  replyHeaders: headerPairs.nullable(),
  /** Null where bodies are not logged for this caller, or were erased. */
  requestBody: loggedBody.nullable(),
  replyBody: loggedBody.nullable(),
})
export type RequestDetail = z.infer<typeof requestDetail>

export const requestsEvent = z.discriminatedUnion('type', [
  /** Always first: the newest rows that match, newest first. */
  z.object({ type: z.literal('snapshot'), rows: z.array(requestRow) }),
  /** New rows and rows that changed, at most ten times a second; rows that the filter lets through alone. */
  z.object({ type: z.literal('rows'), rows: z.array(requestRow) }),
  /** Rows were erased: ask anew. */
  z.object({ type: z.literal('erased') }),
])
export type RequestsEvent = z.infer<typeof requestsEvent>

export const requestCounts = z.object({
  /** Rows kept, of this filter. */
  kept: z.number().int(),
  /** Refusals since midnight UTC, of everyone. */
  refusedToday: z.number().int(),
  /** Bytes of logged bodies on the disk. */
  bodyBytes: z.number().int(),
})

export const requestsProcedures = {
  /** The newest `newest` rows of a filter, then changes, until the caller aborts. */
  watch: procedure
    .input(z.object({ filter: requestFilter, newest: z.number().int().min(1).max(1000).default(200) }))
    .output(eventIterator(requestsEvent)),
  /** Older rows, newest first, below the id given. Fewer than `limit` means that there are no more. */
  page: procedure
    .input(z.object({ filter: requestFilter, before: z.number().int(), limit: z.number().int().min(1).max(1000) }))
    .output(z.object({ rows: z.array(requestRow) })),
  counts: procedure.input(z.object({ filter: requestFilter })).output(requestCounts),
  get: procedure.input(z.object({ id: z.number().int() })).output(requestDetail),
  /** Ends a request that is waiting or under way. `stopped` is false when it had ended already. */
  stop: procedure.input(z.object({ id: z.number().int() })).output(z.object({ stopped: z.boolean() })),
  /** Erases logged bodies: of one request, of one tool, or all. The rows stay. */
  eraseBodies: procedure
    .input(z.object({ id: z.number().int().optional(), app: z.string().optional() }))
    .output(z.object({ erased: z.number().int() })),
}

/** A refusal that a person should hear of: what was tried, from where, how often. */
export const refusal = z.object({
  code: z.string(),
  from: z.string(),
  /** In words: `a web page at https://evil.example tried to use the local /v1`. */
  message: z.string(),
  times: z.number().int(),
  firstAt: instant,
  lastAt: instant,
  /** The origin to allow, where allowing it is possible at all. */
  origin: z.string().nullable(),
})
export type RefusalSeen = z.infer<typeof refusal>
