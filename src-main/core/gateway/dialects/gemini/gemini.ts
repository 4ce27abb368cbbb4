import type { ChatRequest } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { checkDepth, hasValue, IgnoredFields, text } from '../fields.ts'
import { RequestFiles } from '../requestFiles.ts'
import type { Dialect, JsonObject, PathMembers, ReplyFunctions, TranslatedRequest } from '../types.ts'
import { chatMessages } from './contents.ts'
import { members, optionalMembers } from './members.ts'
import { problemBody } from './problemBody.ts'
import { type GeminiContext, GeminiReply } from './reply.ts'
import { geminiRoute } from './route.ts'
import { applySettings } from './settings.ts'
import { DeclaredTools } from './tools.ts'

const known = new Set([
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'cachedContent',
  'model',
])

/** Google's Gemini API, translated to chat completions. `docs/dialects/gemini.md` lists each field, part, finish reason and error. */
export const geminiDialect: Dialect = {
  id: 'gemini',
  replyIdPrefix: 'gem_',
  keyHeaders: ['x-goog-api-key'],
  keyParameter: 'key',
  headerPrefix: 'x-goog-',
  route: geminiRoute,
  translate,
  replies,
  errorBody: problemBody,
  // Gemini CLI sends a request 10 times after most statuses, but not again after a failed stream (docs/decisions/0044-gemini-failures.md).
  failsInStream: ({ 'user-agent': agent }, status) => /^GeminiCLI/i.test(agent ?? '') && status >= 500,
}

/** @param inPath `model`, `stream`, `events` (server-sent events), `counts` (a request for a number of tokens) */
function translate(given: JsonObject, inPath: PathMembers = {}, files = new RequestFiles()): TranslatedRequest {
  checkDepth(given)
  const outer = members(given, '')
  const inner = inPath.counts === true ? optionalMembers(outer.generateContentRequest, 'generateContentRequest') : null
  const body = inner ?? outer
  const ignored = new IgnoredFields()
  ignored.addUnknown(body, known, '')
  if (hasValue(body.cachedContent)) {
    throw new DialectError('cachedContent', 'The service has no cached contents. Send the contents themselves.')
  }
  const model = text(inPath.model, 'model')
  if (model === '') throw new DialectError('model', 'The path must have the name of a model.')
  const tools = new DeclaredTools(body.tools, ignored)
  const chat: ChatRequest = { model, messages: chatMessages(body, tools, files, ignored) }
  const settings = applySettings(body.generationConfig, chat, ignored)
  tools.applyTo(chat, body.toolConfig)
  const context: GeminiContext = {
    kind: 'gemini',
    events: inPath.events === true,
    toolNames: tools.renamed(),
    ...settings,
  }
  return { chat, stream: inPath.stream === true, ignored: ignored.list(), context, ...replies(context) }
}

function replies(context: GeminiContext): ReplyFunctions {
  return {
    openReply: (details, isSilent) => new GeminiReply(details, context, isSilent),
    // Without `alt=sse` the stream is one JSON array, whose elements arrive one after another.
    ...(!context.events && { streamType: 'application/json; charset=utf-8' }),
  }
}
