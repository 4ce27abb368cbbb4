import { randomUUID } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import {
  type ChatInputs,
  type ChatSetup,
  type Conversation,
  type ConversationEvent,
  emptySetup,
  type Message,
} from '../../../../src-preload/contract/chat.ts'
import { showNote, t } from '../../../../src-renderer/i18n/cli.ts'
import { StudioError } from '../../../core/errors.ts'
import { type ConnectionOptions, connectionFrom } from '../connection.ts'
import type { Parts } from '../dependencies.ts'
import { failureOf, usageError } from '../failure.ts'
import { exitCodes, onOutputFailure, outputFailure, printJson, sayPart, tell } from '../output.ts'
import { ownError, wordsOf } from '../ownWords.ts'
import { readPrompt } from '../prompt.ts'
import type { Interrupt } from '../signals.ts'
import { type UsedStudio, upload, withStudio } from '../studio.ts'
import { fileToRead } from '../userFile.ts'

interface ChatOptions extends ConnectionOptions {
  model?: string
  /** Instructions, sent before the prompt. */
  system?: string
  /** Documents and images to attach. */
  file: string[]
  /** Goes on with the chat that was used last. */
  continue: boolean
  /** Id of a chat to go on with, or the beginning of one. */
  chat?: string
  /** File with a JSON schema for the reply. */
  schema?: string
  dataDir?: string
  json: boolean
}
type Client = UsedStudio['client']

/**
 * `chat`: sends one prompt, prints the reply as it arrives and stores both as a conversation. While a studio runs on the data folder, it
 * sends and stores them. An end signal and a closed output stop the reply; the text received so far is stored.
 */
export async function chat(argument: string | undefined, options: ChatOptions, parts: Parts): Promise<number> {
  // Before the signals are handled, so that Ctrl-C ends a process that waits for the prompt or the key.
  const text = await readPrompt(argument, options)
  const schema = options.schema === undefined ? null : await readSchema(options.schema)
  const files = await Promise.all(options.file.map((file) => fileToRead(file, '--file')))
  const connect = await connectionFrom(options)
  return withStudio({ dataDir: options.dataDir, connect }, parts, async (studio, interrupt) => {
    onOutputFailure(interrupt.now)
    const { client } = studio
    const target = await interrupt.or(targetOf(client, options))
    const model = options.model ?? target?.model ?? (await interrupt.or(firstModel(client)))
    const attached = await interrupt.or(attach(studio, files))
    const ask = { requestId: randomUUID(), text, models: [model], ...attached }
    const { conversationId, replyIds } = await interrupt.or(send(client, target, ask, { ...options, schema }))
    const [replyId = ''] = replyIds
    if (options.json) printJson({ chat: conversationId, reply: replyId, model })
    const reply = await follow(client, conversationId, replyId, options.json, interrupt)
    const failure = await outputFailure()
    if (failure) throw failure
    return report(reply, options.json)
  })
}

/** The JSON schema of a file, as text. @throws CommanderError for a file without one */
async function readSchema(given: string): Promise<string> {
  const text = await readFile(await fileToRead(given, '--schema'), 'utf8')
  try {
    const schema: unknown = JSON.parse(text)
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return text
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    throw usageError(t('chat.notJson', { file: given, reason }))
  }
  throw usageError(t('chat.noSchema', { file: given }))
}

/** The chat to go on with; null for a new one. @throws StudioError `no_such_item`, `bad_input` */
async function targetOf(client: Client, options: ChatOptions): Promise<Conversation | null> {
  const { chat: wanted } = options
  if (wanted === undefined && !options.continue) return null
  const all = await conversations(client)
  if (wanted === undefined) {
    const [last] = all.filter(({ archived }) => !archived).sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))
    if (last) return last
    throw ownError('no_such_item', t('chat.noLast'))
  }
  const found = all.filter(({ id }) => id.startsWith(wanted.toLowerCase()))
  const exact = found.find(({ id }) => id === wanted.toLowerCase()) ?? (found.length === 1 ? found[0] : undefined)
  if (exact) return exact
  if (found.length > 1) throw ownError('bad_input', t('chat.ambiguous', { count: found.length, id: wanted }))
  throw ownError('no_such_item', t('chat.unknown', { id: wanted }))
}

async function conversations(client: Client): Promise<Conversation[]> {
  for await (const event of await client.chat.watchList()) {
    if (event.type === 'snapshot') return event.conversations
  }
  throw new StudioError('bug', 'The core sent no list of chats.')
}

async function firstModel(client: Client): Promise<string> {
  const { models } = await client.models.list({})
  const [first] = models
  if (!first) throw ownError('not_found', t('chat.noModel'))
  return first.id
}

const imageName = /\.(?:png|jpe?g|gif|webp)$/i

/** Uploads the files: images by their name, everything else as documents. */
async function attach(studio: UsedStudio, paths: readonly string[]) {
  const attachments: ChatInputs['send']['attachments'] = []
  const documents: ChatInputs['send']['documents'] = []
  for (const path of paths) {
    const file = await open(path, 'r')
    try {
      const uploadId = await upload(studio, file, basename(path))
      if (imageName.test(path)) {
        const { mediaId } = await studio.client.media.addImage({ uploadId })
        attachments.push({ mediaId, detail: null })
      } else {
        const { mediaId, name, notes } = await studio.client.documents.add({ uploadId })
        documents.push({ mediaId, name, pages: null })
        for (const note of notes) tell('warn', `${name}: ${showNote(note)}`)
      }
    } finally {
      await file.close()
    }
  }
  return { attachments, documents }
}

/** Sends the message. The instructions and the schema become settings of the chat, as in the window. */
async function send(
  client: Client,
  target: Conversation | null,
  ask: Omit<ChatInputs['send'], 'conversationId'>,
  { system, schema }: { system?: string; schema: string | null },
) {
  const changed = (setup: ChatSetup): ChatSetup => ({
    ...setup,
    ...(system !== undefined && { instructions: system }),
    ...(schema !== null && {
      params: {
        ...setup.params,
        responseFormat: { type: 'json_schema', name: 'reply', schema, strict: true },
      },
    }),
  })
  const isChanged = system !== undefined || schema !== null
  if (target === null) {
    return client.chat.send({ ...ask, conversationId: null, ...(isChanged && { setup: changed(emptySetup) }) })
  }
  if (isChanged) {
    const setup = changed(await setupOf(client, target.id))
    await client.chat.saveSetup({ conversationId: target.id, setup })
  }
  return client.chat.send({ ...ask, conversationId: target.id })
}

async function setupOf(client: Client, conversationId: string): Promise<ChatSetup> {
  for await (const event of await client.chat.watch({ conversationId })) {
    if (event.type === 'snapshot') return event.setup
  }
  throw ownError('no_such_item', t('chat.gone'))
}

/** Prints a reply as it arrives, and the replies after its tool calls. */
class ReplyPrinter {
  replyId: string
  readonly #json: boolean
  /** The reply so far: its messages and the results of its tools. */
  readonly #parts: Set<string>
  /** Characters that were printed. */
  readonly #shown = { text: 0, reasoning: 0 }

  constructor(replyId: string, json: boolean) {
    this.replyId = replyId
    this.#json = json
    this.#parts = new Set([replyId])
  }

  /** Prints what the event adds. Returns the last message of the reply once it has ended, else null. */
  take(event: ConversationEvent): Message | null {
    if (event.type === 'delta' && event.messageId === this.replyId && event.field !== 'refusal') {
      this.#show(event.field, event.at, event.append)
    }
    for (const message of messagesOf(event)) {
      this.#follow(message)
      if (message.id !== this.replyId) continue
      this.#show('reasoning', 0, message.reasoning)
      this.#show('text', 0, message.text)
      const isRunning = message.status === 'pending' || message.status === 'streaming'
      // After tool calls, the model reads their results and goes on.
      if (!isRunning && !isUnchecked(message) && (message.toolCalls.length === 0 || message.status !== 'complete'))
        return message
    }
    return null
  }

  /** The reply goes on in the message after the results of its tools. */
  #follow(message: Message): void {
    if (message.parentId === null || !this.#parts.has(message.parentId) || message.role === 'user') return
    mustNotWait(message)
    this.#parts.add(message.id)
    if (message.role !== 'assistant' || message.id === this.replyId) return
    this.replyId = message.id
    Object.assign(this.#shown, { text: 0, reasoning: 0 })
  }

  #show(field: 'text' | 'reasoning', at: number, text: string): void {
    const fresh = text.slice(Math.max(0, this.#shown[field] - at))
    if (fresh === '') return
    this.#shown[field] = at + text.length
    if (this.#json) printJson(field === 'text' ? { delta: fresh } : { reasoning: fresh })
    else if (field === 'text') sayPart(fresh)
  }
}

/** Whether the JSON of a complete reply is still compared with its schema. */
const isUnchecked = ({ status, params, jsonFaults }: Message): boolean =>
  status === 'complete' && params?.responseFormat?.type === 'json_schema' && jsonFaults === null

/** Prints a reply as it arrives, and stops it at an end signal. Resolves to its last message. */
async function follow(
  client: Client,
  conversationId: string,
  firstId: string,
  json: boolean,
  interrupt: Interrupt,
): Promise<Message> {
  const printer = new ReplyPrinter(firstId, json)
  const stop = (): void => {
    client.chat.stop({ replyId: printer.replyId }).catch((thrown: unknown) => tell('error', wordsOf(failureOf(thrown))))
  }
  if (interrupt.signal.aborted) stop()
  else interrupt.signal.addEventListener('abort', stop)
  for await (const event of await client.chat.watch({ conversationId })) {
    const ended = printer.take(event)
    if (ended) return ended
  }
  throw ownError('incomplete_stream', t('chat.ended'))
}

function messagesOf(event: ConversationEvent): readonly Message[] {
  if (event.type === 'message') return [event.message]
  return 'messages' in event ? event.messages : []
}

/** @throws StudioError `bad_input` for a tool call that a person must allow or answer, which only a window can ask for */
function mustNotWait({ run }: Message): void {
  if (run?.state !== 'awaiting' && run?.state !== 'by_hand') return
  throw ownError('bad_input', t('chat.waits', { tool: run.name }))
}

function report(reply: Message, json: boolean): number {
  const { status, text, model, finishReason, usage, problem, jsonFaults } = reply
  if (json) printJson({ status, text, model, finishReason, usage, problem, jsonFaults })
  else if (text !== '' && !text.endsWith('\n')) sayPart('\n')
  if (status !== 'complete') {
    tell('error', problem ? t(`chat.endBecause.${status}`, { reason: wordsOf(problem) }) : t(`chat.end.${status}`))
  }
  for (const fault of jsonFaults ?? []) tell('error', t('chat.notSchema', { fault }))
  return status === 'complete' && (jsonFaults ?? []).length === 0 ? exitCodes.ok : exitCodes.failed
}
