import type { IncomingMessage } from 'node:http'
import { asStudioError } from '../../errors.ts'
import type { RequestTrace } from '../../ports/requests.ts'
import { flattened } from '../../upstream/headers.ts'
import { mappedModel } from '../apps/modelMap.ts'
import { parseObject } from '../dialects/chatBytes.ts'
import { countedTokens, type TokenCount } from '../dialects/countTokens.ts'
import { DialectError } from '../dialects/dialectError.ts'
import { dialects } from '../dialects/dialects.ts'
import { RequestFiles } from '../dialects/requestFiles.ts'
import type { TranslatedRoute } from '../dialects/routes.ts'
import { itemPageOf, listedItems } from '../dialects/stored/itemPage.ts'
import type { CountJob, Unread } from '../dialects/translationWorker.ts'
import type { DescribeRoute, LocalRoute, ModelsRoute } from '../dialects/types.ts'
import type { AppReply } from './appReply.ts'
import { newRequestId, type Refusal, refusalOf, refusalOfLimit, sendRefusal } from './errorReplies.ts'
import { printable } from './guard.ts'
import { ignoredHeaders } from './headers.ts'
import type { AllowedRequest } from './proxiedRequest.ts'
import type { RelayDependencies } from './relayDependencies.ts'
import { refuse } from './relayRefusals.ts'
import { readJson } from './requestBody.ts'
import { refusalOfDialect } from './translatedBody.ts'
import { maxCountedHere } from './translationThreads.ts'

/** What a local route replies, and what the log says about the request. */
interface LocalAnswer {
  /** JSON. */
  body: string
  model: string | null
  askedModel: string | null
  ignored: string[]
}

/**
 * Answers a request of a dialect from this computer. Nothing is sent to the service, so the request costs nothing and a used-up budget does
 * not refuse it. The app's other limits apply, and the request is logged.
 */
export async function answerLocally(
  deps: RelayDependencies,
  request: IncomingMessage,
  response: AppReply,
  allowed: AllowedRequest,
  route: AnsweredRoute | Extract<LocalRoute, { action: 'refuse' }>,
): Promise<void> {
  const refused = (refusal: Refusal): void => refuse(deps, request, response, allowed, refusal)
  if (route.action === 'refuse') {
    const { status, message, allow } = route
    const refusal: Refusal = { status, type: 'studio_refused', code: 'not_supported', message }
    return refused(allow === undefined ? refusal : { ...refusal, allow })
  }
  const reservation = deps.allowance.begin(allowed.app, 'chat', true)
  if ('status' in reservation) return refused(refusalOfLimit(reservation))
  const gone = new AbortController()
  const leave = (): false => {
    gone.abort()
    return false
  }
  response.once('close', leave)
  allowed.onCut = leave
  let trace: RequestTrace | null = null
  try {
    const answer = await answerOf(deps, request, allowed, route, gone.signal)
    if ('status' in answer) return refused(answer)
    trace = open(deps, request, allowed, route, answer)
    if (trace.written) await trace.written
    // The app has disconnected, or the front end has ended the request.
    if (gone.signal.aborted) return trace.ends({ state: 'cancelled', by: 'app' }, null)
    send(response, allowed, route, answer)
    trace.replied(200, null)
    trace.ends({ state: 'done' }, null)
  } catch (thrown) {
    const error = asStudioError(thrown)
    const refusal = refusalOf(error)
    if (trace) {
      trace.replied(refusal.status, null)
      trace.ends({ state: 'failed', problem: { kind: error.kind, message: error.message } }, null)
      sendRefusal(response, refusal, allowed.extraHeaders)
    } else refused(refusal)
  } finally {
    reservation.settle(null)
  }
}

type AnsweredRoute = Exclude<LocalRoute, TranslatedRoute | ModelsRoute | { action: 'refuse' }>

async function answerOf(
  deps: RelayDependencies,
  request: IncomingMessage,
  allowed: AllowedRequest,
  route: AnsweredRoute,
  gone: AbortSignal,
): Promise<LocalAnswer | Refusal> {
  if (route.action === 'answer') return answerWith(JSON.stringify(route.body))
  if ('id' in route) return storedAnswer(deps, allowed, route, gone)
  try {
    if (route.action === 'describe') return await describeModel(deps, request, allowed, route, gone)
    return await countTokens(deps, request, allowed, route, gone)
  } catch (thrown) {
    if (thrown instanceof DialectError) return refusalOfDialect(thrown.problem)
    throw thrown
  }
}

/** Longest request that asks about a model, bytes. */
const maxDescribed = 16 * 1024

/** What is known about a model here. The service has no such endpoint. @throws DialectError */
async function describeModel(
  { memory, abilities }: RelayDependencies,
  request: IncomingMessage,
  allowed: AllowedRequest,
  { modelOf, replyOf }: DescribeRoute,
  gone: AbortSignal,
): Promise<LocalAnswer | Refusal> {
  const read = await readJson(request, allowed.app, { memory, signal: gone, proceed: () => allowed.proceed() })
  if ('status' in read) return read
  try {
    if (read.bytes.length > maxDescribed) throw new DialectError(null, 'The body may have at most 16 KB.')
    const askedModel = modelOf(parseObject(read.bytes))
    const model = mappedModel(allowed.app.modelMap, askedModel)
    return { body: JSON.stringify(replyOf(abilities(model))), model, askedModel, ignored: [] }
  } finally {
    read.memory.release()
  }
}

/** Reads or deletes a stored response of the app. */
async function storedAnswer(
  { responses, translation }: RelayDependencies,
  { app, path }: AllowedRequest,
  { action, id }: Extract<AnsweredRoute, { id: string }>,
  gone: AbortSignal,
): Promise<LocalAnswer | Refusal> {
  if (action === 'delete') {
    if (!(await responses.delete(app.id, id))) return unknownResponse(id)
    return answerWith(JSON.stringify({ id, object: 'response', deleted: true }))
  }
  const query = new URLSearchParams(path.split('?', 2)[1] ?? '')
  const found = responses.get(app.id, id)
  if (found === null) return unknownResponse(id)
  if (action === 'get') {
    if (query.get('stream') !== 'true') return answerWith(found.reply)
    return invalid(400, 'stream', 'A stored response can be read as a whole only, without stream.')
  }
  const page = itemPageOf(query)
  if ('param' in page) return invalid(400, page.param, page.message)
  const { input } = found
  const list =
    input.length > maxListedHere ? await translation.listItems(app.id, input, page, gone) : listedItems(input, page)
  if (list !== null && typeof list !== 'string') return list
  return list === null ? invalid(404, 'after', 'The response has no input item with this id.') : answerWith(list)
}

/** The items of a longer request are parsed on another thread, UTF-16 units. */
const maxListedHere = 64 * 1024

const answerWith = (body: string): LocalAnswer => ({ body, model: null, askedModel: null, ignored: [] })

const invalid = (status: number, param: string, message: string): Refusal => ({
  status,
  type: 'studio_refused',
  code: 'invalid_parameter',
  message,
  param,
})

const unknownResponse = (id: string): Refusal => ({
  status: 404,
  type: 'studio_refused',
  code: 'response_not_found',
  message: `This app has no stored response ${printable(id, 80)}. It was never stored (store: false), or it was deleted.`,
  param: 'id',
})

/** An estimate with the tokenizer of this program, because the service has no such endpoint. */
async function countTokens(
  { memory, translation, fileTexts }: RelayDependencies,
  request: IncomingMessage,
  allowed: AllowedRequest,
  { dialect, inPath = {}, replyOf }: Extract<AnsweredRoute, { action: 'count_tokens' }>,
  gone: AbortSignal,
): Promise<LocalAnswer | Refusal> {
  const read = await readJson(request, allowed.app, { memory, signal: gone, proceed: () => allowed.proceed() })
  if ('status' in read) return read
  try {
    const { bytes } = read
    const isShort = bytes.length <= maxCountedHere
    const { id } = allowed.app
    const counted = await fileTexts.translated(id, gone, (texts) => {
      const job = { dialect, inPath, ...(texts && { texts }) }
      return isShort ? countedHere(bytes, job) : translation.countTokens(id, { ...job, bytes }, gone)
    })
    if ('status' in counted) return counted
    if ('problem' in counted) return refusalOfDialect(counted.problem)
    const { tokens, model: askedModel, ignored } = counted
    const model = mappedModel(allowed.app.modelMap, askedModel)
    return { body: JSON.stringify(replyOf(tokens)), model, askedModel, ignored }
  } finally {
    read.memory.release()
  }
}

function countedHere(bytes: Buffer, { texts, ...job }: Omit<CountJob, 'action' | 'bytes'>): TokenCount | Unread {
  const files = new RequestFiles(texts)
  const counted = countedTokens(bytes, { ...job, files })
  return files.unread.length > 0 ? { unread: files.unread } : counted
}

function open(
  { requestLog }: RelayDependencies,
  { method = 'GET' }: IncomingMessage,
  { app, path }: AllowedRequest,
  { dialect }: LocalRoute,
  { model, askedModel, ignored }: LocalAnswer,
): RequestTrace {
  return requestLog.open({
    requester: { kind: 'app', id: app.id, failFast: app.failFast },
    method,
    path: path.split('?', 1)[0] ?? path,
    endpoint: 'chat',
    model,
    stream: false,
    logBodies: false,
    dialect,
    ignored,
    ...(askedModel === null || askedModel === model ? {} : { askedModel }),
  })
}

function send(response: AppReply, allowed: AllowedRequest, route: AnsweredRoute, answer: LocalAnswer): void {
  const text = answer.body
  const head: [string, string][] = [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Content-Length', String(Buffer.byteLength(text))],
    ['Cache-Control', 'no-store'],
    ['X-Content-Type-Options', 'nosniff'],
    ...ignoredHeaders(answer.ignored),
    ...allowed.extraHeaders,
  ]
  const { requestIdHeader } = dialects[route.dialect]
  if (requestIdHeader !== undefined) head.push([requestIdHeader, newRequestId()])
  response.writeHead(200, 'OK', flattened(head))
  response.end(text)
}
