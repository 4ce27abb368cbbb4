import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { implement } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { defaultSettings } from '../../../../../src-main/core/store/defaultSettings.ts'
import {
  type ChatSetup,
  type Conversation,
  type ConversationEvent,
  type ConversationListEvent,
  emptySetup,
  type Message,
} from '../../../../../src-preload/contract/chat.ts'
import { type Contract, contract } from '../../../../../src-preload/contract/contract.ts'
import type { ModelFacts } from '../../../../../src-preload/contract/models.ts'
import { detailOf } from './details.ts'

/** An in-memory core behind a real MessagePort. It contains a scene's data and records all calls. */
export interface SceneCore {
  client: ContractRouterClient<Contract>
  asked: Array<{ what: string; with: unknown }>
  /** Replaces the chat `id` as a whole. */
  put: (conversation: Conversation, messages: Message[], more?: { beside?: Message[]; setup?: ChatSetup }) => void
  /** Sends an event to all watchers of `id`, and applies it to the state for later watchers. */
  notify: (id: string, event: ConversationEvent) => void
}

interface Held {
  conversation: Conversation
  messages: Message[]
  beside: Message[]
  setup: ChatSetup
}

/** A long chat arrives as from the core: its end first, the rest in parts (src-main/core/features/chat/conversationWatcher.ts). */
const firstMessages = 80
const earlierMessages = 500

export function sceneCore(models: string[], facts: ModelFacts[] = []): SceneCore {
  const asked: SceneCore['asked'] = []
  const held = new Map<string, Held>()
  const listeners = new Map<string, Set<(event: ConversationEvent) => void>>()
  const listListeners = new Set<(event: ConversationListEvent) => void>()
  /** Records the call and returns its answer. */
  const say = <T>(what: string, input: unknown, answer: T): T => {
    asked.push({ what, with: input })
    return answer
  }

  const notify = (id: string, event: ConversationEvent): void => {
    const one = held.get(id)
    if (one && event.type === 'delta') {
      const message = one.messages.find((each) => each.id === event.messageId)
      if (message) message[event.field] += event.append
    } else if (one && event.type === 'message') {
      const at = one.messages.findIndex((each) => each.id === event.message.id)
      if (at < 0) one.messages.push(event.message)
      else one.messages[at] = event.message
    }
    for (const listener of listeners.get(id) ?? []) listener(event)
  }
  const put: SceneCore['put'] = (conversation, messages, { beside = [], setup = emptySetup } = {}) => {
    held.set(conversation.id, { conversation, messages, beside, setup })
    for (const listener of listListeners) listener({ type: 'upsert', conversation })
  }

  const os = implement(contract)
  const router = {
    chat: {
      watchList: os.chat.watchList.handler(async function* ({ signal }) {
        yield { type: 'snapshot', conversations: [...held.values()].map((one) => one.conversation) } as const
        yield* queue<ConversationListEvent>(listListeners, signal)
      }),
      watch: os.chat.watch.handler(async function* ({ input, signal }) {
        const one = held.get(input.conversationId)
        if (!one) return
        const set = listeners.get(input.conversationId) ?? new Set()
        listeners.set(input.conversationId, set)
        const events = queue<ConversationEvent>(set, signal)
        let left = Math.max(0, one.messages.length - firstMessages)
        const path = [...one.messages]
        yield {
          type: 'snapshot',
          conversation: one.conversation,
          setup: one.setup,
          messages: structuredClone(one.messages.slice(left)),
          beside: structuredClone(one.beside),
          earlier: left,
        } as const
        while (left > 0) {
          const from = Math.max(0, left - earlierMessages)
          await new Promise((resolve) => setTimeout(resolve))
          yield { type: 'earlier', messages: structuredClone(path.slice(from, left)), left: from } as const
          left = from
        }
        yield* events
      }),
      send: os.chat.send.handler(({ input }) => {
        say('send', input, null)
        const [first] = held.keys()
        return {
          conversationId: input.conversationId ?? first ?? input.requestId,
          turnId: input.requestId,
          replyIds: [input.requestId],
        }
      }),
      stop: os.chat.stop.handler(({ input }) => say('stop', input, { stopped: true })),
      retry: os.chat.retry.handler(({ input }) => say('retry', input, { replyIds: [input.replyId] })),
      continueReply: os.chat.continueReply.handler(({ input }) =>
        say('continueReply', input, { turnId: input.requestId, replyId: crypto.randomUUID() }),
      ),
      activatePath: os.chat.activatePath.handler(({ input }) => say('activatePath', input, {})),
      saveSetup: os.chat.saveSetup.handler(({ input }) => say('saveSetup', input, {})),
      update: os.chat.update.handler(({ input }) => say('update', input, {})),
      duplicate: os.chat.duplicate.handler(({ input }) =>
        say('duplicate', input, { conversationId: input.conversationId }),
      ),
      saveDraft: os.chat.saveDraft.handler(({ input }) => say('saveDraft', input, {})),
      remove: os.chat.remove.handler(({ input }) => {
        say('remove', input, null)
        for (const listener of listListeners) listener({ type: 'removed', id: input.conversationId })
        return {}
      }),
      messagesBelow: os.chat.messagesBelow.handler(({ input }) => say('messagesBelow', input, { messages: 0 })),
      removeMessage: os.chat.removeMessage.handler(({ input }) =>
        say('removeMessage', input, { removedId: input.messageId }),
      ),
      restore: os.chat.restore.handler(({ input }) => {
        say('restore', input, null)
        const one = held.get(input.removedId)
        if (one) put(one.conversation, one.messages, one)
        return { conversationId: input.removedId }
      }),
    },
    requests: {
      get: os.requests.get.handler(({ input }) => say('requests.get', input, detailOf(input.id))),
    },
    library: {
      savePreset: os.library.savePreset.handler(({ input }) => say('savePreset', input, { id: crypto.randomUUID() })),
    },
    connection: {
      retest: os.connection.retest.handler(() => say('retest', {}, {})),
    },
    models: {
      facts: os.models.facts.handler(() => ({ facts })),
      setContextLength: os.models.setContextLength.handler(() => ({})),
      setFavourite: os.models.setFavourite.handler(({ input }) => say('setFavourite', input, {})),
      list: os.models.list.handler(({ input }) => {
        say('models', input, null)
        return {
          models: models.map((id) => ({ id, created: null, ownedBy: 'sandbox' })),
          asOf: new Date().toISOString(),
        }
      }),
    },
    app: {
      openExternal: os.app.openExternal.handler(({ input }) => say('openExternal', input, { opened: true })),
      updateSettings: os.app.updateSettings.handler(({ input }) => {
        say('updateSettings', input, null)
        return { ...defaultSettings, proxyPort: 0, chatModel: input.chatModel ?? null, chatBodies: false }
      }),
    },
  }
  const { port1, port2 } = new MessageChannel()
  new RPCHandler(router).upgrade(port1)
  port1.start()
  port2.start()
  return { client: createORPCClient(new RPCLink({ port: port2 })), asked, put, notify }
}

function queue<T>(listeners: Set<(event: T) => void>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  const waiting: T[] = []
  let wake = (): void => undefined
  const listener = (event: T): void => {
    waiting.push(event)
    wake()
  }
  listeners.add(listener)
  signal?.addEventListener('abort', () => wake())
  return (async function* () {
    try {
      while (!signal?.aborted) {
        const next = waiting.shift()
        if (next !== undefined) yield next
        else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    } finally {
      listeners.delete(listener)
    }
  })()
}
