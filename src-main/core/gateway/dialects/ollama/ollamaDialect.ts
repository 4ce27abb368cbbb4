import type { ChatMessage, ChatRequest } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { checkDepth, hasValue, IgnoredFields, name, optionalFlag, optionalText } from '../fields.ts'
import { FunctionNames } from '../functionNames.ts'
import { refuseMethod, refusePath } from '../routeParts.ts'
import type {
  DescribeRoute,
  Dialect,
  DialectProblem,
  JsonObject,
  LocalRoute,
  ModelsRoute,
  PathMembers,
  ReplyFunctions,
  RequestTarget,
  TranslatedRequest,
} from '../types.ts'
import { modelDescription, modelTags } from './models.ts'
import { type OllamaContext, OllamaReply } from './ollamaReply.ts'
import { imageParts, requestMessages, userContent } from './requestMessages.ts'
import { applyFormat, applyOptions, applyThink, applyTools } from './requestSettings.ts'

/** Members of `/api/chat` and `/api/generate` that `translate` reads. */
const sharedKeys = ['model', 'stream', 'options', 'format', 'think']
const chatKeys: ReadonlySet<string> = new Set([...sharedKeys, 'messages', 'tools'])
const generateKeys: ReadonlySet<string> = new Set([...sharedKeys, 'prompt', 'system', 'images', 'suffix', 'raw'])

/** The version that `/api/version` names, for clients that refuse an older server: the one whose API this folder follows. */
const version = '0.13.0'

/** Ollama's own API, translated to chat completions. `docs/dialects/ollama.md` lists each field and line. */
export const ollamaDialect: Dialect = {
  id: 'ollama',
  replyIdPrefix: 'call_',
  route,
  translate,
  replies: (context) => repliesIn(context as OllamaContext),
  errorBody: ({ message, param }: DialectProblem) => ({
    error: param === null || message.startsWith(param) ? message : `${param}: ${message}`,
  }),
}

const get = 'GET, HEAD'
const describe: DescribeRoute = {
  dialect: 'ollama',
  action: 'describe',
  modelOf: ({ model, name: older }) => modelName(model ?? older),
  replyOf: modelDescription,
}
const tags: ModelsRoute = {
  dialect: 'ollama',
  action: 'models',
  model: null,
  query: new URLSearchParams(),
  models: { list: modelTags, one: () => null },
}
const answerWith = (body: JsonObject): LocalRoute => ({ dialect: 'ollama', action: 'answer', body })

function route({ method, segments: [root, part, ...more] }: RequestTarget): LocalRoute | null {
  if (root !== 'api') return null
  const isRead = method === 'GET' || method === 'HEAD'
  const only = (allowed: boolean, allow: string, found: LocalRoute): LocalRoute =>
    allowed ? found : refuseMethod('ollama', allow)
  if (part !== undefined && more.length === 0) {
    switch (part) {
      case 'chat':
        return only(method === 'POST', 'POST', { dialect: 'ollama', action: 'create', inPath: { isGenerate: false } })
      case 'generate':
        return only(method === 'POST', 'POST', { dialect: 'ollama', action: 'create', inPath: { isGenerate: true } })
      case 'show':
        return only(method === 'POST', 'POST', describe)
      case 'tags':
        // With HEAD, programs find out whether the server runs.
        return only(isRead, get, method === 'HEAD' ? answerWith({}) : tags)
      case 'version':
        return only(isRead, get, answerWith({ version }))
      case 'ps':
        // Models are loaded at the service, which does not say which.
        return only(isRead, get, answerWith({ models: [] }))
    }
  }
  const why = reasons.get(part ?? '')
  if (why !== undefined) return refusePath('ollama', 400, why)
  return refusePath('ollama', 404, 'The local API has no such path below /api.')
}

const noEmbeddings = 'The service has no embeddings, so this address has none.'
const noOwnModels = 'Models are at the service. They can’t be pulled, pushed, created, copied or deleted here.'

/** Parts of Ollama's API that need models on this computer, or another endpoint of the service. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['embed', noEmbeddings],
  ['embeddings', noEmbeddings],
  ...['pull', 'push', 'create', 'copy', 'delete', 'blobs'].map((part) => [part, noOwnModels] as const),
])

/** @throws DialectError */
function translate(body: JsonObject, { isGenerate }: PathMembers = {}): TranslatedRequest {
  checkDepth(body)
  const ignored = new IgnoredFields()
  const names = new FunctionNames()
  ignored.addUnknown(body, isGenerate === true ? generateKeys : chatKeys, '')
  const model = modelName(body.model)
  const stream = optionalFlag(body.stream, 'stream') ?? true
  const messages = isGenerate === true ? promptMessages(body) : requestMessages(body.messages, names, ignored)
  if (messages.length === 0) throw new DialectError('messages', 'messages must have at least one message with content.')
  const chat: ChatRequest = { model, messages }
  applyOptions(body.options, chat, ignored)
  applyFormat(body.format, chat)
  if (isGenerate !== true) applyTools(body.tools, chat, names, ignored)
  const hideReasoning = applyThink(body.think, chat, ignored)
  const context: OllamaContext = {
    kind: 'ollama',
    isGenerate: isGenerate === true,
    hideReasoning,
    toolNames: names.renamed(),
  }
  return { chat, stream, ignored: ignored.list(), context, ...repliesIn(context) }
}

/** Ollama's clients add the tag `latest` to a name without one. The service's names have no tags. */
const modelName = (value: unknown): string => {
  const given = name(value, 'model')
  return given.length > tag.length && given.endsWith(tag) ? given.slice(0, -tag.length) : given
}
const tag = ':latest'

/** The messages of `/api/generate`. @throws DialectError */
function promptMessages({ prompt, system, images, suffix, raw }: JsonObject): ChatMessage[] {
  if (hasValue(suffix) && suffix !== '') {
    throw new DialectError('suffix', 'suffix is not supported: the service completes no text between two others.')
  }
  if (optionalFlag(raw, 'raw') === true) {
    throw new DialectError('raw', 'raw is not supported: the service applies the template of the model.')
  }
  const messages: ChatMessage[] = []
  const instructions = optionalText(system, 'system') ?? ''
  if (instructions !== '') messages.push({ role: 'system', content: instructions })
  const content = userContent(optionalText(prompt, 'prompt') ?? '', imageParts(images, 'images'))
  if (content === '') throw new DialectError('prompt', 'prompt must not be empty. There is no model to load here.')
  messages.push({ role: 'user', content })
  return messages
}

const repliesIn = (context: OllamaContext): ReplyFunctions => ({
  streamType: 'application/x-ndjson',
  openReply: (details, isSilent) => new OllamaReply(details, context, isSilent),
})
