import type { App } from '../../../../src-preload/contract/apps.ts'
import { StudioError } from '../../errors.ts'
import { parseText } from '../../upstream/json/jsonScan.ts'
import { isFields } from '../../upstream/json/values.ts'
import type { ForwardReply } from '../../upstream/types.ts'
import { bytesOf, readAll } from '../../upstream/wire/body.ts'
import { mappedModel } from '../apps/modelMap.ts'
import { DialectError } from '../dialects/dialectError.ts'
import type { JsonObject, ModelsRoute } from '../dialects/types.ts'
import type { Refusal } from './errorReplies.ts'
import { refusalOfDialect } from './translatedBody.ts'

/** The service's own list. The specification has no path for a single model. */
export const modelsPath = '/v1/models'
/** Largest list that is read, bytes. */
const maxList = 16 * 1024 * 1024

/**
 * The service's model list, or one model of it, in the shape of a dialect. A name that the app's model map replaces is described as the model
 * that it becomes.
 * @throws StudioError `malformed_reply`
 */
export async function translatedModels(
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

/** The id in a request for one model in the service's own shape (`GET /v1/models/{id}`), or null. Ids may contain slashes, also encoded ones. */
export function modelInOwnPath(path: string): string | null {
  const [bare = ''] = path.split('?', 1)
  const id = decodeURIComponent(bare.slice(modelsPath.length)).replace(/^\/|\/$/g, '')
  return id === '' ? null : id
}

/**
 * One model of the service's list, as the service describes it. A name that the app's model map replaces is described as the model that it
 * becomes, under the name that was asked for.
 * @throws StudioError `malformed_reply`
 */
export async function ownModel(reply: ForwardReply, id: string, app: App): Promise<{ body: JsonObject } | Refusal> {
  const models = await readModels(reply)
  const listed: unknown[] = isFields(models) && Array.isArray(models.data) ? models.data : []
  const sent = mappedModel(app.modelMap, id)
  const found = mayUse(app, sent) ? (withId(listed, id) ?? withId(listed, sent)) : null
  return found ? { body: { ...found, id, object: found.object ?? 'model' } } : noSuchModel
}

const withId = (listed: readonly unknown[], id: string): JsonObject | null =>
  listed.find((model): model is JsonObject => isFields(model) && model.id === id) ?? null
