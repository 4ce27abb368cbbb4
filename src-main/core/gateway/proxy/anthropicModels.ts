import type { IncomingMessage } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { StudioError } from '../../errors.ts'
import { parseText } from '../../upstream/json/jsonScan.ts'
import type { ForwardReply } from '../../upstream/types.ts'
import { bytesOf, readAll } from '../../upstream/wire/body.ts'
import { mappedModel } from '../apps/modelMap.ts'
import { DialectError } from '../dialects/dialectError.ts'
import { modelInfo, modelList } from '../dialects/messages/modelList.ts'
import { wantsAnthropicModels } from '../dialects/routes.ts'
import type { JsonObject } from '../dialects/types.ts'
import type { Refusal } from './errorReplies.ts'
import { refusalOfDialect } from './translatedBody.ts'

/** The service's own list. The specification has no path for a single model. */
export const modelsPath = '/v1/models'
/** Largest list that is read, bytes. */
const maxList = 16 * 1024 * 1024

/** A request for models in Anthropic's shape. `id` is null for the list. */
export interface ModelsQuery {
  id: string | null
  query: URLSearchParams
}

/** Reads the request, or returns null when it is relayed unchanged. */
export function modelsQueryOf({ method = 'GET', headers }: IncomingMessage, path: string): ModelsQuery | null {
  if (!wantsAnthropicModels(method, path, headers)) return null
  const [bare = '', query = ''] = path.split('?', 2)
  // The guard has checked the percent-encoding. Ids may contain slashes.
  const id = decodeURIComponent(bare.slice(modelsPath.length)).replace(/^\/|\/$/g, '')
  return { id: id === '' ? null : id, query: new URLSearchParams(query) }
}

/**
 * The service's model list, or one model of it, in Anthropic's shape. A name that the app's model map replaces is described as the model that
 * it becomes.
 * @throws StudioError `malformed_reply`
 */
export async function translatedModels(
  reply: ForwardReply,
  { id, query }: ModelsQuery,
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
    if (id === null) return { body: modelList(models, query) }
  } catch (thrown) {
    if (thrown instanceof DialectError) return refusalOfDialect(thrown.problem)
    throw thrown
  }
  const known = modelInfo(models, id) ?? mapped(models, id, app)
  if (known) return { body: known }
  const message = 'The service does not have this model. GET /v1/models lists its models.'
  return { status: 404, type: 'studio_upstream', code: 'model_not_found', message }
}

function mapped(models: unknown, id: string, app: App): JsonObject | null {
  const info = modelInfo(models, mappedModel(app.modelMap, id))
  return info && { ...info, id }
}
