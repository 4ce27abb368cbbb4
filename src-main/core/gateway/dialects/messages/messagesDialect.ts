import { isFields } from '../../../upstream/json/values.ts'
import type { ChatRequest } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { RequestFiles } from '../requestFiles.ts'
import type { Dialect, JsonObject, MessagesContext, PathMembers, ReplyFunctions, TranslatedRequest } from '../types.ts'
import { IgnoredMessagesFields } from './ignoredFields.ts'
import { MessageEvents } from './messageEvents.ts'
import { problemBody } from './problemBody.ts'
import { requestMessages } from './requestMessages.ts'
import { applyParameters, isThinkingOff } from './requestParameters.ts'
import { messagesRoute } from './route.ts'
import { ToolDefinitions } from './toolDefinitions.ts'

/** Below the bound of the local API, because the translated request has a few levels more. */
const maxLevels = 100

/**
 * Anthropic's Messages API, translated to chat completions. `docs/dialects/messages.md` lists each field, block, tool and event. Requests
 * for `POST /v1/messages/count_tokens` are translated in the same way.
 */
export const messagesDialect: Dialect = {
  id: 'messages',
  replyIdPrefix: 'msg_',
  headerPrefix: 'anthropic-',
  requestIdHeader: 'request-id',
  route: messagesRoute,
  translate,
  replies: messagesReplies,
  errorBody: problemBody,
}

function translate(body: JsonObject, _inPath?: PathMembers, files = new RequestFiles()): TranslatedRequest {
  for (const [key, value] of Object.entries(body)) refuseDepth(key, value)
  if (typeof body.model !== 'string' || body.model === '')
    throw new DialectError('model', 'Must be the name of a model.')
  const stream = body.stream ?? false
  if (typeof stream !== 'boolean') throw new DialectError('stream', 'Must be true or false.')
  const ignored = new IgnoredMessagesFields()
  const tools = new ToolDefinitions(ignored)
  for (const [index, tool] of toolsOf(body.tools).entries()) tools.add(tool, `tools[${index}]`)
  const chat: ChatRequest = { model: body.model, messages: requestMessages(body, tools, { ignored, files }) }
  applyParameters(body, chat, ignored)
  const toolNames = tools.applyTo(chat, body.tool_choice)
  if (stream) {
    chat.stream = true
    chat.stream_options = { include_usage: true }
  }
  const context: MessagesContext = { kind: 'messages', hideReasoning: isThinkingOff(body), toolNames }
  return { chat, stream, ignored: ignored.list(), context, ...messagesReplies(context) }
}

/** The functions for the reply. */
function messagesReplies(context: MessagesContext): ReplyFunctions {
  return { openReply: (details, isSilent) => new MessageEvents(details, context, isSilent) }
}

function toolsOf(tools: unknown): unknown[] {
  if (tools === undefined || tools === null) return []
  if (!Array.isArray(tools)) throw new DialectError('tools', 'Must be an array.')
  return tools
}

/** Level by level instead of recursively, so that no depth can overflow the stack here or in `JSON.stringify` later. */
function refuseDepth(key: string, value: unknown): void {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxLevels)
      throw new DialectError(key.slice(0, 100), `Is nested deeper than ${maxLevels} levels.`, 'body_unreadable')
    const next: unknown[] = []
    for (const item of level) {
      if (!isFields(item) && !Array.isArray(item)) continue
      for (const inner of Object.values(item)) if (typeof inner === 'object' && inner !== null) next.push(inner)
    }
    level = next
  }
}
