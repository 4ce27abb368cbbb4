import type { App } from '../../../../src-preload/contract/apps.ts'
import { StudioError } from '../../errors.ts'
import { flattened } from '../../upstream/headers.ts'
import { parseText } from '../../upstream/json/jsonScan.ts'
import { isFields } from '../../upstream/json/values.ts'
import type { ForwardReply } from '../../upstream/types.ts'
import { bytesOf, readAll } from '../../upstream/wire/body.ts'
import { mappedModel } from '../apps/modelMap.ts'
import { DialectError } from '../dialects/dialectError.ts'
import { dialects } from '../dialects/dialects.ts'
import type { JsonObject, ModelsRoute } from '../dialects/types.ts'
import type { AppReply } from './appReply.ts'
import { type Refusal, sendRefusal } from './errorReplies.ts'
import { safeReason, translatedReplyHeaders } from './headers.ts'
import type { AllowedRequest } from './proxiedRequest.ts'
import { refusalOfDialect } from './translatedBody.ts'
import { isGood, sendProblem, sendTranslatedJson } from './translatedReply.ts'

/** The service's own list. The specification has no path for a single model. */
export const modelsPath = '/v1/models'
/** Largest list that is read, bytes. */
const maxList = 16 * 1024 * 1024

/** Sends the service's model list, or one model of it, in the shape of a dialect. @throws StudioError `malformed_reply` */
export async function sendTranslatedModels(
  reply: ForwardReply,
  route: ModelsRoute,
  { app, extraHeaders }: AllowedRequest,
  response: AppReply,
): Promise<void> {
  const envelope = { response, dialect: dialects[route.dialect], extraHeaders, ignored: [] }
  if (!isGood(reply.status)) return sendProblem(reply, envelope)
  const models = await translatedModels(reply, route, app)
  if ('body' in models) sendTranslatedJson(reply, models.body, envelope)
  else sendRefusal(response, models, extraHeaders)
}

/** Sends one model in the shape of the service. @throws StudioError `malformed_reply` */
export async function sendOwnModel(
  reply: ForwardReply,
  id: string,
  { app, extraHeaders }: AllowedRequest,
  response: AppReply,
): Promise<void> {
  const found = await ownModel(reply, id, app)
  if (!('body' in found)) return sendRefusal(response, found, extraHeaders)
  const bytes = Buffer.from(JSON.stringify(found.body))
  const head = translatedReplyHeaders(reply.headers)
  head.push(['content-type', 'application/json; charset=utf-8'], ['content-length', String(bytes.length)])
  response.writeHead(reply.status, safeReason(reply.statusText), flattened([...head, ...extraHeaders]))
  response.end(bytes)
}

/**
 * The service's model list, or one model of it, in the shape of a dialect. A name that the app's model map replaces is described as the model
 * that it becomes.
 * @throws StudioError `malformed_reply`
 */
async function translatedModels(
  reply: ForwardReply,
  { model, query, models: { list, one } }: ModelsRoute,
  app: App,
): Promise<{ body: JsonObject } | Refusal> {
  const models = await readModels(reply)
  try {
    if (model === null) return { body: list(models, query) }
  } catch (thrown) {
    if (thrown instanceof DialectError) return refusalOfDialect(thrown.problem)
    throw thrown
  }
  const sent = mappedModel(app.modelMap, model)
  const known = mayUse(app, sent) ? (one(models, model) ?? one(models, sent, model)) : null
  return known ? { body: known } : noSuchModel
}

const noSuchModel: Refusal = {
  status: 404,
  type: 'studio_upstream',
  code: 'model_not_found',
  message:
    'The service does not have this model, or this app may not use it. GET /v1/models lists the models of the service.',
}

const mayUse = ({ models }: App, sent: string): boolean => models?.includes(sent) ?? true

async function readModels(reply: ForwardReply): Promise<unknown> {
  const bytes = await readAll(bytesOf(reply.body), maxList)
  try {
    return parseText(Buffer.from(bytes).toString('utf8'))
  } catch (cause) {
    throw new StudioError('malformed_reply', 'The service sent a model list that is not JSON.', {}, { cause })
  }
}

/**
 * One model of the service's list, as the service describes it. A name that the app's model map replaces is described as the model that it
 * becomes, under the name that was asked for.
 * @throws StudioError `malformed_reply`
 */
async function ownModel(reply: ForwardReply, id: string, app: App): Promise<{ body: JsonObject } | Refusal> {
  const models = await readModels(reply)
  const listed: unknown[] = isFields(models) && Array.isArray(models.data) ? models.data : []
  const sent = mappedModel(app.modelMap, id)
  const found = mayUse(app, sent) ? (withId(listed, id) ?? withId(listed, sent)) : null
  return found ? { body: { ...found, id, object: found.object ?? 'model' } } : noSuchModel
}

const withId = (listed: readonly unknown[], id: string): JsonObject | null =>
  listed.find((model): model is JsonObject => isFields(model) && model.id === id) ?? null
