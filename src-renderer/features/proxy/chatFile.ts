import { type ChatParams, type ChatSetup, emptySetup } from '../../../src-preload/contract/chat.ts'
import type { RequestDetail } from '../../../src-preload/contract/requests.ts'
import { isObject, objectsIn, recordedReply, recordedRequest, textIn } from './recorded.ts'

// The file of one conversation, as the export of a chat writes it and the import reads it.

type Json = Record<string, unknown>

interface Picture {
  id: string
  data: string
}

interface ChatFile {
  file: Blob
  /** Whether the request offered tools. A chat has only the tools of this program. */
  hasTools: boolean
}

/** Members of a request that are no parameters, or that the chat sets itself. */
const ownMembers: ReadonlySet<string> = new Set(
  'model messages stream stream_options tools tool_choice parallel_tool_calls n user metadata'.split(' '),
)
const numbers = {
  temperature: 'temperature',
  top_p: 'topP',
  max_tokens: 'maxTokens',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
} as const

/** The messages of a logged chat request and its reply as the file of a conversation. Null when it has none. */
export function chatFile({ row, requestBody, replyBody }: RequestDetail, title: string): ChatFile | null {
  const request = recordedRequest(requestBody)
  if (typeof request === 'string' || !Array.isArray(request.messages)) return null
  const given = objectsIn(request.messages)
  const [first] = given
  const isInstructions = first?.role === 'system' || first?.role === 'developer'
  const pictures: Picture[] = []
  const calls = new Map<string, { name: string; arguments: string }>()
  const messages = (isInstructions ? given.slice(1) : given).map((message) => messageOf(message, pictures, calls))
  const reply = recordedReply(replyBody)
  if (reply) {
    const toolCalls = reply.calls.map((call, index) => ({ index, id: null, ...call }))
    const { tokensIn: promptTokens, tokensOut: completionTokens, tokensCached: cachedTokens } = row
    messages.push({
      ...{ role: 'assistant', text: reply.text, reasoning: reply.reasoning, toolCalls, finishReason: row.finishReason },
      usage: { promptTokens, completionTokens, totalTokens: null, cachedTokens },
    })
  }
  if (messages.length === 0) return null
  const ids = messages.map(() => crypto.randomUUID())
  const setup: ChatSetup = {
    ...emptySetup,
    ...(isInstructions && {
      instructions: textOf(first?.content),
      instructionsRole: first?.role === 'developer' ? 'developer' : 'system',
    }),
    params: paramsOf(request),
  }
  const file = {
    format: 'inference-studio.conversation',
    version: 1,
    conversation: {
      ...{ id: crypto.randomUUID(), title, model: row.model, createdAt: row.at, updatedAt: new Date().toISOString() },
      ...{
        draft: '',
        folderId: null,
        pinned: false,
        archivedAt: null,
        leafId: ids.at(-1) ?? null,
        setup,
        importKey: null,
      },
    },
    messages: messages.map((message, at) => ({
      ...emptyMessage(row.at, message.role === 'assistant' ? row.model : null),
      ...message,
      ...{ id: ids[at], parentId: ids[at - 1] ?? null, nextId: ids[at + 1] ?? null },
    })),
    media: pictures,
  }
  return {
    file: new Blob([JSON.stringify(file)], { type: 'application/json' }),
    hasTools: objectsIn(request.tools).length > 0,
  }
}

const emptyMessage = (at: string, model: string | null) => ({
  ...{ name: null, text: '', reasoning: '', refusal: '', toolCalls: [], attachments: [], documents: [], passages: [] },
  ...{ run: null, status: 'complete', problem: null, model, finishReason: null, usage: null },
  ...{ createdAt: at, finishedAt: at, firstTokenMs: null, reasoningMs: null, requestId: null, askId: null, made: null },
  // The app has paid, not this chat.
  ...{ summarised: null, leftOut: false, cost: null, costIs: 'unknown', params: null, jsonFaults: null },
})

/** The fields of a message that are not those of an empty one. */
function messageOf(message: Json, pictures: Picture[], calls: Map<string, { name: string; arguments: string }>): Json {
  const { role, content, name } = message
  const known = role === 'assistant' || role === 'tool' || role === 'system' || role === 'developer' ? role : 'user'
  const text = textOf(content)
  const named = typeof name === 'string' && known !== 'tool' ? { name } : {}
  if (known === 'assistant') {
    const toolCalls = objectsIn(message.tool_calls).map((call, index) => {
      const made = isObject(call.function) ? call.function : {}
      const one = { name: textIn(made.name), arguments: textIn(made.arguments) }
      if (typeof call.id === 'string') calls.set(call.id, one)
      return { index, id: typeof call.id === 'string' ? call.id : null, ...one }
    })
    const reasoning = message.reasoning_content ?? message.reasoning
    return { ...named, role: known, text, toolCalls, reasoning: typeof reasoning === 'string' ? reasoning : '' }
  }
  if (known === 'tool') {
    const callId = textIn(message.tool_call_id)
    const call = calls.get(callId) ?? { name: '', arguments: '{}' }
    const state = { state: 'done', tool: null, allowed: null, isError: false, notes: [] }
    return { role: known, text, run: { callId, ...call, ...state, startedAt: null, finishedAt: null } }
  }
  return { ...named, role: known, text, attachments: known === 'user' ? attachmentsOf(content, pictures) : [] }
}

/** The text of a message. A picture elsewhere is named by its address, because the chat fetches nothing. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = objectsIn(content).flatMap((part) => {
    if (typeof part.text === 'string') return [part.text]
    const url = isObject(part.image_url) ? part.image_url.url : null
    return typeof url === 'string' && !url.startsWith('data:') ? [url] : []
  })
  return parts.join('\n')
}

function attachmentsOf(content: unknown, pictures: Picture[]): Json[] {
  return objectsIn(content).flatMap((part) => {
    const url = isObject(part.image_url) ? part.image_url.url : null
    const [, mime, data] = typeof url === 'string' ? (/^data:([\w/+.-]+);base64,(.*)$/s.exec(url) ?? []) : []
    if (mime === undefined || data === undefined) return []
    const id = crypto.randomUUID()
    pictures.push({ id, data })
    // The import measures the picture.
    return [
      { mediaId: id, detail: null, name: null, mime, width: 0, height: 0, bytes: Math.floor((data.length * 3) / 4) },
    ]
  })
}

function paramsOf(request: Json): ChatParams {
  const params: Json = {}
  for (const [sent, name] of Object.entries(numbers)) {
    const value = request[sent]
    const isWhole =
      name !== 'maxTokens' || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 10_000_000)
    if (typeof value === 'number' && isWhole) params[name] = value
  }
  const stop = (Array.isArray(request.stop) ? request.stop : [request.stop]).filter(
    (one) => typeof one === 'string' && one !== '' && one.length <= 1000,
  )
  if (stop.length > 0 && stop.length <= 16) params.stop = stop
  const known = new Set([...ownMembers, ...Object.keys(numbers), 'stop'])
  const extra = Object.entries(request).filter(([name]) => !known.has(name))
  if (extra.length > 0) params.extra = Object.fromEntries(extra)
  return params
}
