import { nameInPath, refuseMethod, refusePath } from '../routeParts.ts'
import type { LocalRoute, RequestTarget } from '../types.ts'
import { modelInfo, modelList } from './models.ts'

const dialect = 'gemini'
const models = { list: modelList, one: modelInfo }

/**
 * The routes below `/v1beta`, and the methods of a model below `/v1/models`, which clients use when they are set to the version `v1`. The
 * model is in the path, and so is whether the reply is a stream.
 */
export function geminiRoute({ method, segments, path }: RequestTarget): LocalRoute | null {
  const [version, root, ...rest] = segments
  const called = rest.at(-1)?.includes(':') === true
  if (version !== 'v1beta' && !(version === 'v1' && root === 'models' && called)) return null
  if (root !== 'models') return refusePath(dialect, 404, 'The local API has no such path below /v1beta.')
  const name = nameInPath(path)
  const query = new URLSearchParams(path.split('?', 2)[1] ?? '')
  if (called) return methodRoute(method, name, query)
  if (method !== 'GET') return refuseMethod(dialect, 'GET')
  return { dialect, action: 'models', model: name === '' ? null : name, query, models }
}

/** @param called `MODEL:METHOD`. Names of models may have colons too */
function methodRoute(method: string, called: string, query: URLSearchParams): LocalRoute {
  const at = called.lastIndexOf(':')
  const model = called.slice(0, at)
  const name = called.slice(at + 1).toLowerCase()
  if (!['generatecontent', 'streamgeneratecontent', 'counttokens'].includes(name)) {
    return refusePath(dialect, 404, 'Models have generateContent, streamGenerateContent and countTokens here.')
  }
  if (method !== 'POST') return refuseMethod(dialect, 'POST')
  if (name === 'counttokens') {
    return {
      dialect,
      action: 'count_tokens',
      inPath: { model, counts: true },
      replyOf: (totalTokens) => ({ totalTokens }),
    }
  }
  const stream = name === 'streamgeneratecontent'
  return { dialect, action: 'create', inPath: { model, stream, events: query.get('alt') === 'sse' } }
}
