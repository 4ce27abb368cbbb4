import { DialectError } from '../dialectError.ts'
import { checkDepth, IgnoredFields } from '../fields.ts'
import { RequestFiles } from '../requestFiles.ts'
import type {
  Dialect,
  DialectProblem,
  JsonObject,
  ReplyFunctions,
  ResponsesContext,
  TranslatedRequest,
} from '../types.ts'
import { chatMessages, type RequestReading } from './chatMessages.ts'
import { runsAtApp } from './clientTools.ts'
import { type CompactionContext, compactionReplies, summaryTask, triggeredCompaction } from './compaction.ts'
import { inputEntries, nothingStored, type StoredItems, storedInput } from './inputItems.ts'
import { responsesRoute } from './route.ts'
import { readSettings } from './settings.ts'
import { ResponsesTranslator } from './streamTranslator.ts'
import { chosenTools } from './toolChoice.ts'
import { RequestTools } from './tools.ts'

/** A translated request of the Responses API, with the parts that the store needs. */
export interface TranslatedResponsesRequest extends TranslatedRequest {
  /** Whether the response can be read again: `store`, true by default. */
  store: boolean
  previousResponseId: string | null
  /**
   * The items of this request as they are stored and listed, each with an id. Without the items of previous responses.
   * @param responseId ids of items without one are derived from it
   */
  storedInput(responseId: string): JsonObject[]
}

/**
 * Translates a request of OpenAI's Responses API to chat completions.
 * @param stored items that `previous_response_id` and item references mean
 * @throws DialectError 400 for what can't be translated, naming the field
 * @see docs/dialects/responses.md for each field
 */
export function translateResponses(
  body: JsonObject,
  stored: StoredItems = nothingStored,
  { sealing, files = new RequestFiles() }: RequestReading = {},
): TranslatedResponsesRequest {
  checkDepth(body)
  const ignored = new IgnoredFields()
  const { all, own } = inputEntries(body, stored)
  const settings = readSettings(body, all, ignored)
  if (settings.previousResponseId !== null && stored.previous === null) {
    throw new DialectError(
      'previous_response_id',
      'The previous response was not found. Only responses with store: true can be continued.',
    )
  }
  const tools = new RequestTools(ignored)
  tools.addAll(body.tools, 'tools')
  for (const { type, item, param } of all)
    if (type === 'additional_tools' || (type === 'tool_search_output' && runsAtApp(item)))
      tools.addAll(item.tools, `${param}.tools`, true)
  const chosen = chosenTools(body.tool_choice, tools)
  const messages = chatMessages(all, tools.names, ignored, { ...settings, sealing, files })
  if (messages.length === 0)
    throw new DialectError('input', 'The request has no input. Send a text or at least one message.')
  const compacts = own.some(({ type }) => type === 'compaction_trigger')
  if (compacts) messages.push({ role: 'user', content: summaryTask })
  const hasTools = chosen.tools.length > 0
  const { response_format: _, ...withoutFormat } = settings.chat
  const chat = {
    ...(compacts ? withoutFormat : settings.chat),
    messages,
    ...(hasTools && { tools: chosen.tools }),
    // A summary has the tools of the other requests, because the service has their prompt in its cache.
    ...(compacts && hasTools
      ? { tool_choice: 'none' }
      : chosen.tool_choice !== null && { tool_choice: chosen.tool_choice }),
    // Without tools several services refuse this parameter.
    ...(hasTools && typeof body.parallel_tool_calls === 'boolean' && { parallel_tool_calls: body.parallel_tool_calls }),
  }
  const context: ResponsesContext = {
    kind: 'responses',
    echo: JSON.stringify({ ...settings.echo, tools: tools.echo }),
    tools: tools.names.translated(),
    summarizes: settings.summarizes,
    seals: settings.seals,
    compacts,
  }
  return {
    chat,
    stream: settings.stream,
    ignored: ignored.list(),
    store: settings.store,
    previousResponseId: settings.previousResponseId,
    storedInput: (responseId) => storedInput(own, responseId),
    context,
    ...responsesReplies(context),
  }
}

/** The functions for the reply. Made apart, because functions of one place keep everything that any of them uses: there the items. */
export const responsesReplies = (context: ResponsesContext): ReplyFunctions => ({
  openReply: (details, isSilent) =>
    context.compacts
      ? triggeredCompaction(context, details, isSilent)
      : new ResponsesTranslator(context, details, isSilent),
})

/** The error body of the API. */
function errorBody({ status, message, type, code, param }: DialectProblem): JsonObject {
  return { error: { message, type: type ?? (status < 500 ? 'invalid_request_error' : 'server_error'), param, code } }
}

/** The reply of the API to a request, or to one for a compaction. */
const repliesOf = (context: ResponsesContext | CompactionContext, said: Buffer | null): ReplyFunctions =>
  context.kind === 'compaction' ? compactionReplies(said ?? Buffer.alloc(0)) : responsesReplies(context)

/** The dialect for requests without stored items. Use `translateResponses` where items are stored. */
export const responsesDialect: Dialect = {
  id: 'responses',
  replyIdPrefix: 'resp_',
  hasWebSocket: true,
  route: responsesRoute,
  translate: (body, _inPath, files) => translateResponses(body, nothingStored, { files }),
  replies: repliesOf,
  errorBody,
  // Codex ignores `x-should-retry` and repeats a request up to 29 times after most statuses, but not after a failed stream
  // (docs/decisions/0011-agent-replays.md).
  failsInStream: ({ originator, 'user-agent': agent }, status) =>
    /^codex/i.test(String(originator ?? agent ?? '')) && (status >= 500 || status === 402),
}
