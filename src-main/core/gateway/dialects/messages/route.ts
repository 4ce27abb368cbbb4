import { endpointOf } from '../../../upstream/request/endpoint.ts'
import { nameInPath, refuseMethod, refusePath } from '../routeParts.ts'
import type { JsonObject, LocalRoute, RequestTarget } from '../types.ts'
import { modelInfo, modelList } from './modelList.ts'

/**
 * The routes below `/v1/messages`. Of clients that send Anthropic's version header also `GET /v1/models`, and the paths of their API that the
 * service does not have, so that they get an error which they can read.
 */
export function messagesRoute({ method, segments, path, headers }: RequestTarget): LocalRoute | null {
  const [version, root, part, ...more] = segments
  if (version !== 'v1') return null
  const dialect = 'messages'
  if (root === 'models' && headers['anthropic-version'] !== undefined && method === 'GET') {
    const model = nameInPath(path)
    const query = new URLSearchParams(path.split('?', 2)[1] ?? '')
    const models = { list: modelList, one: modelInfo }
    return { dialect, action: 'models', model: model === '' ? null : model, query, models }
  }
  if (root !== 'messages') {
    const isUnknown = root === 'files' || endpointOf(method, path) === 'other'
    if (!isUnknown || headers['anthropic-version'] === undefined) return null
    return refusePath(dialect, 404, 'The local API does not have this part of the Anthropic API.')
  }
  if (part === undefined) return method === 'POST' ? { dialect, action: 'create' } : refuseMethod(dialect, 'POST')
  if (part === 'count_tokens' && more.length === 0) {
    const replyOf = (input_tokens: number): JsonObject => ({ input_tokens })
    return method === 'POST' ? { dialect, action: 'count_tokens', replyOf } : refuseMethod(dialect, 'POST')
  }
  if (part === 'batches') {
    return refusePath(
      dialect,
      404,
      'Message batches are not supported, because the service behind the local API has none.',
    )
  }
  return refusePath(dialect, 404, 'The local API has no such path below /v1/messages.')
}
