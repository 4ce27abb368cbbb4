import type { ChatParams, Message } from '../../../../src-preload/contract/chat.ts'
import { StudioError } from '../../errors.ts'
import type { ChatNeighbours } from '../../ports/toolCalls.ts'
import type { Store } from '../../store/store.ts'
import type { ChatRequest } from '../../upstream/types.ts'
import { historyOf } from './history.ts'

/**
 * Parameters that `extra` cannot override, because the program sets each from a dedicated field. `response_format` may
 * come from `extra`, because the specification lists no values for it. A format chosen in the settings takes precedence.
 */
const reservedNames: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'n', 'tools', 'tool_choice', 'parallel_tool_calls'],
  ...['temperature', 'top_p', 'max_tokens', 'stop', 'presence_penalty', 'frequency_penalty'],
])

/**
 * Builds the request for a reply: instructions, the path above the reply, parameters, tools. Reads the database before the first await, and
 * the images after it.
 * @throws StudioError `no_such_item` if an image was deleted, `bad_input` if the schema of the response format is not
 * JSON
 */
export async function prepareRequest(
  store: Store,
  neighbours: ChatNeighbours,
  reply: Message,
  choices: number,
): Promise<ChatRequest> {
  const { conversationId, parentId, model } = reply
  const setup = store.conversations.setup(conversationId)
  const tools = neighbours.toolsFor(conversationId)
  const path = store.messages.path(parentId)
  const params = membersOf(reply.params ?? {})
  const n = choices > 1 ? { n: choices } : {}
  const sent = await historyOf(setup, path, neighbours.imageUrl, neighbours.documentText)
  const messages = sent.map(({ message }) => message)
  return { model: model ?? '', messages, ...params, ...n, ...tools, stream_options: { include_usage: true } }
}

/** Converts parameters to members of the request body. Unset parameters are omitted. */
export function membersOf(params: ChatParams): Record<string, unknown> {
  const { temperature, topP, maxTokens, stop, presencePenalty, frequencyPenalty, responseFormat, extra = {} } = params
  const more = Object.entries(extra).filter(([name]) => !reservedNames.has(name))
  const set = {
    temperature,
    top_p: topP,
    max_tokens: maxTokens,
    stop,
    presence_penalty: presencePenalty,
    frequency_penalty: frequencyPenalty,
    response_format: responseFormat && formatOf(responseFormat),
  }
  return Object.fromEntries([...more, ...Object.entries(set).filter(([, value]) => value !== undefined)])
}

function formatOf(format: NonNullable<ChatParams['responseFormat']>): Record<string, unknown> {
  if (format.type !== 'json_schema') return { type: format.type }
  const { name, strict } = format
  return { type: 'json_schema', json_schema: { name, strict, schema: schemaOf(format.schema) } }
}

/** @throws StudioError `bad_input` */
export function schemaOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new StudioError('bad_input', 'The schema of the response format is not JSON.', {}, { cause })
  }
}
