import { asStudioError, StudioError } from '../../../errors.ts'
import type { ChatMessage } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { checkDepth, IgnoredFields, name, optionalText } from '../fields.ts'
import { RequestFiles } from '../requestFiles.ts'
import type {
  JsonObject,
  ReplyContext,
  ReplyDetails,
  ResponsesContext,
  StreamTranslator,
  TranslatedRequest,
} from '../types.ts'
import { chatMessages, type RequestReading } from './chatMessages.ts'
import { maxSummaryBytes, summaryContent } from './compactionContent.ts'
import { inputEntries, nothingStored, type StoredItems, storedInput } from './inputItems.ts'
import { refuseUnavailable } from './settings.ts'
import { ResponsesTranslator } from './streamTranslator.ts'
import { ToolNames } from './toolNames.ts'

const knownFields = new Set([
  'model',
  'input',
  'instructions',
  'previous_response_id',
  'prompt_cache_key',
  'service_tier',
])

/** The last message of the request. The user's messages stay in the conversation, so the summary has the rest. */
export const summaryTask = `Write a summary of the conversation above, which replaces it. Another model continues the work and sees only your summary and the user's own messages. All other messages, tool calls and results of tools are removed.

Include, as far as the conversation has it:
- what the user wants, with every condition and preference
- what was decided, and why
- what was done and found out, with the exact names, paths, commands, identifiers and values that are needed later
- what failed, so that it is not tried again
- what is left to do, and the next step

Do not continue the work, answer questions or call tools. Reply with the summary only.`

export interface CompactionContext extends ReplyContext {
  kind: 'compaction'
}

/** A translated request for compaction. Its replies are whole only as JSON. */
export interface CompactionRequest extends TranslatedRequest {
  /** The messages of the user as JSON, without the brackets of their list. The reply repeats them. */
  said: Buffer
  toJson(reply: JsonObject): Buffer
}

/**
 * Translates a request for compaction (`POST /v1/responses/compact`) to a chat completion that asks the model for a summary.
 * @param replyId the ids of the user's messages without one are derived from it
 * @param stored items that `previous_response_id` and item references mean
 * @throws DialectError 400 for what can't be translated, naming the field
 * @see docs/dialects/responses.md
 */
export function translateCompaction(
  body: JsonObject,
  replyId: string,
  stored: StoredItems = nothingStored,
  { sealing, files = new RequestFiles() }: RequestReading = {},
): CompactionRequest {
  checkDepth(body)
  refuseUnavailable(body)
  const ignored = new IgnoredFields()
  ignored.addUnknown(body, knownFields, '')
  const model = name(body.model, 'model')
  const { all } = inputEntries(body, stored)
  const previous = optionalText(body.previous_response_id, 'previous_response_id')
  if (previous !== null && stored.previous === null)
    throw new DialectError(
      'previous_response_id',
      'The previous response was not found.',
      'previous_response_not_found',
    )
  if (all.length === 0)
    throw new DialectError('input', 'There is nothing to compact. Send the items of the conversation.')
  const instructions = optionalText(body.instructions, 'instructions')
  const messages: ChatMessage[] = chatMessages(all, new ToolNames(), ignored, {
    instructions,
    allReasoning: false,
    sealing,
    files,
  })
  messages.push({ role: 'user', content: summaryTask })
  const chat = { model, messages, ...sameParameters(body) }
  const asked = all.filter(({ type, item }) => type === 'message' && item.role === 'user')
  const said = Buffer.from(JSON.stringify(storedInput(asked, replyId)).slice(1, -1))
  const context: CompactionContext = { kind: 'compaction' }
  return { chat, stream: false, ignored: ignored.list(), said, context, ...compactionReplies(said) }
}

/** The functions for the reply to a request for compaction. @param said as in `CompactionRequest` */
export function compactionReplies(said: Buffer): Pick<CompactionRequest, 'openReply' | 'toJson'> {
  return {
    openReply: (details) => summaryStream(new ResponsesTranslator(plainContext, details, true), details),
    toJson({ output, ...rest }) {
      const start = `${JSON.stringify(rest).slice(0, -1)},"output":[`
      const end = `${said.length === 0 ? '' : ','}${JSON.stringify(output).slice(1)}}`
      return Buffer.concat([Buffer.from(start), said, Buffer.from(end)])
    },
  }
}

const plainContext: ResponsesContext = {
  kind: 'responses',
  echo: '{}',
  tools: new Map(),
  summarizes: false,
  seals: false,
  compacts: false,
}

/**
 * The reply to a request with a `compaction_trigger`: a response with exactly one `compaction` item, which is written when the summary is
 * whole. Clients replace their history by it, so everything else of the reply is left out.
 */
export function triggeredCompaction(
  context: ResponsesContext,
  details: ReplyDetails,
  silent: boolean,
): StreamTranslator {
  const summary = new ResponsesTranslator(plainContext, details, true)
  const response = new ResponsesTranslator(context, details, silent)
  let failure: string | null = null
  const fail = (message: string): string => {
    failure = message
    return response.fail({ status: 502, message, type: null, code: null, param: null })
  }
  return {
    get failure() {
      return failure ?? response.failure
    },
    push(event) {
      summary.push(event)
      if (summary.failure !== null) return fail(summary.failure)
      return 'choice' in event ? '' : response.push(event)
    },
    end() {
      summary.end()
      try {
        const text = summaryIn(summary.result())
        return response.endWithCompaction(text, summaryContent(text))
      } catch (thrown) {
        return fail(asStudioError(thrown).message)
      }
    },
    fail: (problem) => response.fail(problem),
    result: () => response.result(),
    notStored: (last) => response.notStored(last),
  }
}

/** Parameters of chat completions with the same name and meaning. */
function sameParameters(body: JsonObject): JsonObject {
  const chat: JsonObject = {}
  for (const field of ['prompt_cache_key', 'service_tier']) {
    const value = optionalText(body[field], field)
    if (value !== null) chat[field] = value
  }
  return chat
}

/** Writes nothing, and its result is the compacted response. */
const summaryStream = (reply: StreamTranslator, details: ReplyDetails): StreamTranslator => ({
  get failure() {
    return reply.failure
  },
  push: (event) => reply.push(event),
  end: () => reply.end(),
  fail: (problem) => reply.fail(problem),
  result: () => compactedResponse(reply.result(), details),
})

/**
 * The compacted response with the compaction item. `toJson` adds the messages of the user before it.
 * @throws StudioError `malformed_reply` or `incomplete_stream` when the reply is no whole summary
 */
function compactedResponse(reply: JsonObject, { id, createdAt }: ReplyDetails): JsonObject {
  const suffix = id.slice(id.indexOf('_') + 1)
  const item = { id: `cmp_${suffix}`, type: 'compaction', encrypted_content: summaryContent(summaryIn(reply)) }
  const { usage } = reply
  return { id, object: 'response.compaction', created_at: createdAt, output: [item], usage }
}

function summaryIn({ status, output, error, incomplete_details }: JsonObject): string {
  if (status !== 'completed') {
    const why = status === 'incomplete' ? (incomplete_details as JsonObject).reason : (error as JsonObject).message
    throw new StudioError('incomplete_stream', `The model did not finish its summary: ${String(why)}`)
  }
  const items = output as { type: string; content?: { type: string; text?: string }[] }[]
  if (items.some(({ type }) => type === 'function_call'))
    throw new StudioError('malformed_reply', 'The model called a tool and wrote no summary.')
  const parts = items.filter(({ type }) => type === 'message').flatMap(({ content = [] }) => content)
  if (parts.some(({ type }) => type === 'refusal'))
    throw new StudioError('malformed_reply', 'The model refused to write a summary.')
  const summary = parts
    .map(({ text = '' }) => text)
    .join('')
    .trim()
  if (summary === '') throw new StudioError('malformed_reply', 'The model wrote no summary.')
  if (Buffer.byteLength(summary) > maxSummaryBytes)
    throw new StudioError('malformed_reply', 'The summary of the model is too large to be returned.')
  return summary
}
