import type { App } from '../../../../src-preload/contract/apps.ts'
import { StudioError } from '../../errors.ts'
import { parseText } from '../../upstream/json/jsonScan.ts'
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
  const bytes = await readAll(bytesOf(reply.body), maxList)
  let models: unknown
  try {
    models = parseText(Buffer.from(bytes).toString('utf8'))
  } catch (cause) {
    throw new StudioError('malformed_reply', 'The service sent a model list that is not JSON.', {}, { cause })
  }
  try {
    if (model === null) return { body: list(models, query) }
  } catch (thrown) {
    if (thrown instanceof DialectError) return refusalOfDialect(thrown.problem)
    throw thrown
  }
  const known = one(models, model) ?? one(models, mappedModel(app.modelMap, model), model)
  if (known) return { body: known }
  const message = 'The service does not have this model. GET /v1/models lists its models.'
  return { status: 404, type: 'studio_upstream', code: 'model_not_found', message }
}
