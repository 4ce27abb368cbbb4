import { randomUUID } from 'node:crypto'
import { createRouterClient, type RouterClient } from '@orpc/server'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import type { CoreOptions } from '../../../core/core.ts'
import { StudioError } from '../../../core/errors.ts'
import { type ConnectionOptions, connectionFrom } from '../connection.ts'
import type { Parts, RunningCore } from '../dependencies.ts'
import { failureOf } from '../failure.ts'
import { openDataDir } from '../folder.ts'
import { createNodeHost } from '../host.ts'
import { exitCodes, log, onOutputFailure, outputFailure, printJson, sayPart } from '../output.ts'
import { type Interrupt, listenForInterrupt } from '../signals.ts'
import { startTemporaryCore, type TemporaryCore } from '../temporaryCore.ts'

interface ChatOptions extends ConnectionOptions {
  model?: string
  dataDir?: string
  json: boolean
}
type Client = RouterClient<RunningCore['router']>

/**
 * `chat`: sends one prompt, prints the reply as it arrives and stores both as a conversation.
 * While a running `serve` owns the data folder, a chat with `--sandbox` or `--base-url` uses a temporary folder.
 * Ctrl-C, SIGTERM and a closed output stop the reply; the text received so far is stored.
 */
export async function chat(prompt: string, options: ChatOptions, parts: Parts): Promise<number> {
  // Before the signals are handled, so that Ctrl-C ends a process that waits for the key.
  const connect = await connectionFrom(options)
  const interrupt = listenForInterrupt()
  onOutputFailure(interrupt.now)
  const { core, close } = await openCore(options, connect, parts)
  try {
    const client = createRouterClient(core.router)
    const model = options.model ?? (await interrupt.or(firstModel(client)))
    interrupt.signal.throwIfAborted()
    const ask = { requestId: randomUUID(), conversationId: null, text: prompt, models: [model] }
    const { conversationId, replyIds } = await client.chat.send(ask)
    const [replyId = ''] = replyIds
    stopOnInterrupt(interrupt, client, replyId)
    const reply = await follow(client, conversationId, replyId, options.json)
    const failure = await outputFailure()
    if (failure) throw failure
    return report(reply, options.json)
  } finally {
    await close()
    interrupt.release()
  }
}

async function openCore(
  options: ChatOptions,
  connect: Awaited<ReturnType<typeof connectionFrom>>,
  parts: Parts,
): Promise<TemporaryCore> {
  const coreOptions: CoreOptions = { proxyPort: null, ...(connect && { connect }) }
  try {
    const core = await parts.startCore(createNodeHost(await openDataDir(options.dataDir)), coreOptions)
    return { core, close: core.stop }
  } catch (thrown) {
    const error = failureOf(thrown)
    if (error.kind !== 'folder_in_use') throw thrown
    // Stored connections are in the folder that the other process owns.
    if (connect === null || 'profile' in connect) {
      const words = `${error.message} Or choose a service with --sandbox or --base-url.`
      throw new StudioError('folder_in_use', words, {}, { cause: thrown })
    }
    log('info', 'Another Inference Studio uses the data folder, so this chat is not stored.')
    return startTemporaryCore(parts, coreOptions)
  }
}

async function firstModel(client: Client): Promise<string> {
  const { models } = await client.models.list({})
  const [first] = models
  if (!first) throw new StudioError('not_found', 'The service lists no model. Name one with --model.')
  return first.id
}

function stopOnInterrupt(interrupt: Interrupt, client: Client, replyId: string): void {
  const stop = (): void => {
    client.chat.stop({ replyId }).catch((thrown: unknown) => log('error', failureOf(thrown).message))
  }
  if (interrupt.signal.aborted) stop()
  else interrupt.signal.addEventListener('abort', stop)
}

/** Prints the text of the reply as it arrives and resolves to the finished reply. */
async function follow(client: Client, conversationId: string, replyId: string, json: boolean): Promise<Message> {
  let printed = 0
  const print = (text: string) => {
    if (text === '') return
    printed += text.length
    if (json) printJson({ delta: text })
    else sayPart(text)
  }
  const seen = (message: Message): Message | null => {
    if (message.id !== replyId) return null
    print(message.text.slice(printed))
    return message.status === 'pending' || message.status === 'streaming' ? null : message
  }
  for await (const event of await client.chat.watch({ conversationId })) {
    if (event.type === 'delta' && event.messageId === replyId && event.field === 'text') {
      print(event.append.slice(Math.max(0, printed - event.at)))
    }
    const messages = event.type === 'message' ? [event.message] : 'messages' in event ? event.messages : []
    for (const message of messages) {
      const ended = seen(message)
      if (ended) return ended
    }
  }
  throw new StudioError('incomplete_stream', 'The reply ended unexpectedly.')
}

function report(reply: Message, json: boolean): number {
  const { status, text, model, finishReason, usage, problem } = reply
  if (json) printJson({ status, text, model, finishReason, usage, problem })
  else {
    if (text !== '' && !text.endsWith('\n')) sayPart('\n')
    if (status !== 'complete') log('warn', `The reply is ${status}${problem ? `: ${problem.message}` : '.'}`)
  }
  return status === 'complete' ? exitCodes.ok : exitCodes.failed
}
