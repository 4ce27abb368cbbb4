import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRouterClient, type RouterClient } from '@orpc/server'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import type { CoreOptions } from '../../../core/core.ts'
import { asStudioError, StudioError } from '../../../core/errors.ts'
import { type ConnectionOptions, connectionFrom } from '../connection.ts'
import { openDataDir } from '../folder.ts'
import { createNodeHost } from '../host.ts'
import { exitCodes, log, printJson } from '../output.ts'
import type { Parts, RunningCore } from '../parts.ts'

interface ChatOptions extends ConnectionOptions {
  model?: string
  dataDir?: string
  json: boolean
}
type Client = RouterClient<RunningCore['router']>

/**
 * One prompt, its reply on standard output as it arrives, stored as a conversation of the data folder. Where a running
 * `serve` owns that folder, and the connection was given here, the reply comes through a folder that is thrown away.
 */
export async function chat(prompt: string, options: ChatOptions, parts: Parts): Promise<number> {
  const { core, close } = await openCore(options, parts)
  try {
    const client = createRouterClient(core.router)
    const model = options.model ?? (await firstModel(client))
    const sent = await client.chat.send({ requestId: randomUUID(), conversationId: null, text: prompt, model })
    const reply = await withInterrupt(
      () => client.chat.stop({ replyId: sent.replyId }),
      () => follow(client, sent.conversationId, sent.replyId, options.json),
    )
    return report(reply, options.json)
  } finally {
    await close()
  }
}

async function openCore(options: ChatOptions, parts: Parts): Promise<{ core: RunningCore; close(): Promise<void> }> {
  const connect = connectionFrom(options)
  const coreOptions: CoreOptions = { proxyPort: null, ...(connect && { connect }) }
  try {
    const core = await parts.startCore(createNodeHost(await openDataDir(options.dataDir)), coreOptions)
    return { core, close: () => core.stop() }
  } catch (thrown) {
    if (asStudioError(thrown).kind !== 'folder_in_use' || connect === null) throw thrown
    log('info', 'Another Inference Studio uses the data folder, so this exchange is not stored.')
    const folder = await mkdtemp(join(tmpdir(), 'inference-studio-'))
    const core = await parts.startCore(createNodeHost(folder), coreOptions)
    const close = async () => {
      await core.stop()
      await rm(folder, { recursive: true, force: true })
    }
    return { core, close }
  }
}

async function firstModel(client: Client): Promise<string> {
  const { models } = await client.models.list({})
  const [first] = models
  if (!first) throw new StudioError('not_found', 'The service lists no model. Name one with --model.')
  return first.id
}

/** Ctrl-C or SIGTERM stops the reply; what had come stays. The second one ends the process at once. */
async function withInterrupt<T>(stop: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let asked = false
  const onSignal = () => {
    if (asked) process.exit(exitCodes.failed)
    asked = true
    stop().catch((thrown: unknown) => log('error', asStudioError(thrown).message))
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  try {
    return await work()
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}

/** Prints the reply's text as it grows; answers the reply when it has ended. */
async function follow(client: Client, conversationId: string, replyId: string, json: boolean): Promise<Message> {
  let printed = 0
  const print = (text: string) => {
    if (text === '') return
    printed += text.length
    if (json) printJson({ delta: text })
    else process.stdout.write(text)
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
  throw new StudioError('incomplete_stream', 'The reply ended without a word on why.')
}

function report(reply: Message, json: boolean): number {
  if (json) {
    const { status, text, model, finishReason, usage, problem } = reply
    printJson({ status, text, model, finishReason, usage, problem })
  } else {
    process.stdout.write('\n')
    if (reply.status !== 'complete') log('warn', `${reply.status}${reply.problem ? `: ${reply.problem.message}` : ''}`)
  }
  return reply.status === 'complete' ? exitCodes.ok : exitCodes.failed
}
