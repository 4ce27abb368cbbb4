import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { choose } from '../../../../src-main/core/features/chat/chooseReply.ts'
import { continueReply } from '../../../../src-main/core/features/chat/continueReply.ts'
import { ConversationWatcher } from '../../../../src-main/core/features/chat/conversationWatcher.ts'
import { duplicate } from '../../../../src-main/core/features/chat/duplicate.ts'
import { historyOf } from '../../../../src-main/core/features/chat/history.ts'
import { recoverReplies } from '../../../../src-main/core/features/chat/recover.ts'
import { remove } from '../../../../src-main/core/features/chat/remove.ts'
import { messagesBelow, removeMessage } from '../../../../src-main/core/features/chat/removeMessage.ts'
import { restore } from '../../../../src-main/core/features/chat/restore.ts'
import { retry } from '../../../../src-main/core/features/chat/retry.ts'
import { send } from '../../../../src-main/core/features/chat/send.ts'
import { stop } from '../../../../src-main/core/features/chat/stop.ts'
import { openToolCallsPort } from '../../../../src-main/core/features/chat/toolCallsPort.ts'
import { saveSetup } from '../../../../src-main/core/features/chat/updateConversation.ts'
import { isSettled } from '../../../../src-main/core/ports/toolCalls.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import type { ChatStreamEvent } from '../../../../src-main/core/upstream/types.ts'
import { emptySetup, type Message, type ToolRunState } from '../../../../src-preload/contract/chat.ts'
import { tries } from '../../../helpers/effort.ts'
import { featureOver, Page, settled } from '../../helpers/chatFeature.ts'
import { freshFolder } from '../../helpers/core.ts'

const words = fc.constantFrom('', 'yes', 'a longer line', '界')
const models = fc.subarray(['small', 'large', 'odd'], { minLength: 1 })
const choice = fc.nat(2)
const event: fc.Arbitrary<ChatStreamEvent> = fc.oneof(
  fc.record({
    type: fc.constantFrom('content' as const, 'reasoning' as const, 'refusal' as const),
    choice,
    text: words,
  }),
  fc.record({
    type: fc.constant('tool_call' as const),
    choice,
    index: fc.nat(1),
    id: fc.constantFrom('call-a', 'call-b', null),
    name: fc.constant('clock'),
    arguments: fc.constantFrom('{', '}', ''),
  }),
  fc.record({ type: fc.constant('finish' as const), choice, reason: fc.constantFrom('stop', 'tool_calls', 'length') }),
)
const states: ToolRunState[] = ['running', 'done', 'denied', 'stopped', 'timed_out', 'failed']
/** Relative frequency of each action. */
const weights = {
  send: 4,
  choices: 1,
  edit: 3,
  retry: 3,
  goOn: 2,
  choose: 4,
  stop: 2,
  remove: 1,
  removeMessage: 2,
  restore: 2,
  duplicate: 1,
  crash: 1,
  say: 4,
  answer: 4,
  calls: 4,
  end: 3,
  call: 5,
  askOn: 3,
  read: 6,
}
type Act = keyof typeof weights
const acts = Object.entries(weights).map(([act, weight]) => ({ weight, arbitrary: fc.constant(act as Act) }))
const step = fc.record({
  act: fc.oneof(...acts),
  which: fc.nat(1000),
  text: words,
  models,
  ask: fc.boolean(),
  n: fc.integer({ min: 1, max: 3 }),
  yes: fc.boolean(),
  event,
  state: fc.constantFrom(...states),
  other: fc.nat(9),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** A studio that can crash and restart over its folder, with subscribers of its conversations. */
class Studio {
  readonly #folder = freshFolder()
  readonly ids: string[] = []
  #store = openStore(this.#folder)
  #open = featureOver(this.#store, {})
  #pages = new Map<string, { page: Page; watcher: ConversationWatcher }>()

  get store() {
    return this.#store
  }

  get feature() {
    return this.#open.feature
  }

  get service() {
    return this.#open.service
  }

  crash(): void {
    this.#store.close()
    this.#store = openStore(this.#folder)
    recoverReplies(this.#store)
    this.#open = featureOver(this.#store, {})
    this.#pages.clear()
  }

  close(): void {
    this.#store.close()
  }

  page(id: string) {
    const known = this.#pages.get(id)
    if (known && !known.page.removed) return known
    const opened = {
      page: new Page(),
      watcher: new ConversationWatcher(this.feature.runs.view, id, { first: 3, batch: 2 }),
    }
    opened.watcher.subscribe(() => undefined)
    this.#pages.set(id, opened)
    return opened
  }

  /** Reads one event, or all that are available. */
  read(id: string, all: boolean): Page {
    const { page, watcher } = this.page(id)
    for (;;) {
      const next = watcher.take()
      if (next === null || next === 'end') return page
      page.apply(next)
      if (!all) return page
    }
  }

  removed() {
    return this.ids.filter((id) => this.store.conversations.find(id)?.removed)
  }

  messages() {
    return this.ids.flatMap((id) => this.store.messages.links(id))
  }
}

const pick = <T>(items: readonly T[], which: number): T | undefined => items[which % Math.max(1, items.length)]

/** Prefers the newest items, so that long paths occur too. */
const late = <T>(items: readonly T[], which: number): T | undefined =>
  items.at(-1 - (which % Math.min(4, items.length || 1)))

const call = (index: number): ChatStreamEvent => ({
  type: 'tool_call',
  choice: 0,
  index,
  id: `call-${index}`,
  name: 'clock',
  arguments: '{}',
})

const conversationOf = ({ ids }: Studio, { which, other }: Step): string | null =>
  other === 0 ? null : (pick(ids.slice(0, 3), which) ?? null)
const messageOf = (studio: Studio, { which, other }: Step) =>
  other < 5 ? late(studio.messages(), which) : pick(studio.messages(), which)

const doing: Record<Act, (studio: Studio, one: Step) => unknown> = {
  async send(studio, one) {
    const { text, models, ask } = one
    const conversationId = conversationOf(studio, one)
    const sent = await send(studio.feature, {
      requestId: randomUUID(),
      conversationId,
      text,
      models,
      ask: ask || one.yes,
    })
    if (!studio.ids.includes(sent.conversationId)) studio.ids.push(sent.conversationId)
  },
  choices(studio, one) {
    const conversationId = conversationOf(studio, one)
    if (conversationId) saveSetup(studio.feature, { conversationId, setup: { ...emptySetup, params: { n: one.n } } })
  },
  async edit(studio, one) {
    const message = messageOf(studio, one)
    if (!message) return
    const { conversationId, role } = studio.store.messages.get(message.id)
    const { text, models, ask } = one
    const edit = { requestId: randomUUID(), conversationId, text, models, ask, edits: message.id }
    await send(studio.feature, { ...edit, role: role === 'tool' ? 'user' : role })
  },
  async retry(studio, one) {
    const replies = studio.messages().filter(({ role }) => role === 'assistant')
    const reply = pick(replies, one.which)
    if (reply)
      await retry(studio.feature, {
        requestId: randomUUID(),
        replyId: reply.id,
        models: one.yes ? one.models : undefined,
      })
  },
  async goOn(studio, one) {
    const message = messageOf(studio, one)
    if (message) await continueReply(studio.feature, { requestId: randomUUID(), replyId: message.id })
  },
  choose(studio, one) {
    const message = messageOf(studio, one)
    if (message) choose(studio.feature, { messageId: message.id })
  },
  stop(studio, one) {
    const message = messageOf(studio, one)
    if (message) stop(studio.feature, { replyId: message.id })
  },
  remove(studio, one) {
    const conversationId = conversationOf(studio, one)
    if (conversationId && one.yes) remove(studio.feature, { conversationId })
  },
  removeMessage(studio, one) {
    const message = messageOf(studio, one)
    if (!message) return
    const count = studio.store.messages.idsFrom(message.id).length
    expect(messagesBelow(studio.feature, { messageId: message.id })).toEqual({ messages: count - 1 })
    const { removedId } = removeMessage(studio.feature, { messageId: message.id })
    studio.ids.push(removedId)
    expect(studio.store.messages.links(removedId)).toHaveLength(count)
  },
  restore(studio, one) {
    const conversationId = one.ask ? conversationOf(studio, one) : (late(studio.removed(), one.which) ?? null)
    if (!conversationId) return
    const restored = restore(studio.feature, { removedId: conversationId })
    // Messages that moved back leave no conversation of their own.
    if (restored.conversationId !== conversationId) studio.ids.splice(studio.ids.indexOf(conversationId), 1)
  },
  duplicate(studio, one) {
    const message = messageOf(studio, one)
    if (!message) return
    const { conversationId } = studio.store.messages.get(message.id)
    const copy = duplicate(studio.feature, { conversationId, upTo: one.yes ? message.id : undefined })
    studio.ids.push(copy.conversationId)
  },
  crash: (studio) => studio.crash(),
  say: ({ service }, one) => late(service.open, one.which)?.say(one.event),
  answer({ service }, one) {
    late(service.open, one.which)?.say({ type: 'content', choice: 0, text: 'An answer.' })
    late(service.open, one.which)?.say('end')
  },
  calls({ service }, one) {
    const asked = late(service.open, one.which)
    for (let index = 0; index < one.n; index += 1) asked?.say(call(index))
    asked?.say('end')
  },
  end: ({ service }, one) =>
    pick(service.open, one.which)?.say(one.yes ? 'end' : new StudioError('connection_lost', 'Lost.')),
  call(studio, one) {
    const row = late(studio.store.messages.openCalls(), one.which)
    if (row) openToolCallsPort(studio.feature).setRun(row.id, { ...row.run, state: one.state }, 'Five.')
  },
  async askOn(studio, one) {
    const row = late(
      studio.messages().filter(({ role }) => role === 'tool'),
      one.which,
    )
    if (row) await openToolCallsPort(studio.feature).askOn(row.id)
  },
  read(studio, one) {
    const conversationId = conversationOf(studio, one)
    if (conversationId) studio.read(conversationId, one.yes && one.ask)
  },
}

function checkTree({ store, ids }: Studio): void {
  const everywhere = new Set<string>()
  for (const id of ids) {
    const links = store.messages.links(id)
    const here = new Set<string>()
    const below = new Map<string | null, string[]>()
    for (const link of links) {
      // Parents precede children, so each message is reachable from a root.
      expect(link.parentId === null || here.has(link.parentId)).toBe(true)
      expect(everywhere.has(link.id)).toBe(false)
      here.add(link.id)
      everywhere.add(link.id)
      below.set(link.parentId, [...(below.get(link.parentId) ?? []), link.id])
    }
    for (const siblings of below.values()) {
      const places = store.messages.many(siblings).map(({ sibling, siblings }) => [sibling, siblings])
      expect(places).toEqual(siblings.map((_, at) => [at + 1, siblings.length]))
    }
    const { leafId, messages } = store.conversations.find(id) ?? { leafId: null, messages: -1 }
    const path = store.messages.pathIds(leafId)
    expect(path.every((one) => here.has(one))).toBe(true)
    expect(path.length).toBe(messages)
    // Waiting calls are at the end of the path, unless another branch was continued.
    const roles = store.messages.many(path)
    const lastTurn = roles.findLastIndex(({ role }) => role !== 'tool')
    expect(roles.slice(0, Math.max(0, lastTurn)).filter(({ run }) => run && !isSettled(run))).toEqual([])
    if (links.length > 0) expect(store.messages.leafBelow(path[0] ?? '')).toBe(leafId)
  }
}

async function checkHistory({ store, ids }: Studio): Promise<void> {
  for (const id of ids) {
    const path = store.messages.path(store.conversations.find(id)?.leafId ?? null)
    const history = await historyOf(
      store.conversations.setup(id),
      path,
      async () => '',
      () => '',
    )
    const sent = history.map(({ message }) => message)
    const calls = sent.flatMap((message, at) => {
      const wanted = message.tool_calls?.map((call) => call.id) ?? []
      const given = sent.slice(at + 1, at + 1 + wanted.length).map((answer) => answer.tool_call_id)
      expect(given).toEqual(wanted)
      return wanted
    })
    expect(sent.filter(({ role }) => role === 'tool').map((answer) => answer.tool_call_id)).toEqual(calls)
  }
}

/** Omits fields that are only sent with the end of a reply. */
const withoutLateFields = (messages: readonly Message[]): Message[] =>
  messages.map((message) => (message.finishedAt ? message : { ...message, finishReason: null, usage: null }))

function checkPages(studio: Studio): void {
  const { view } = studio.feature.runs
  for (const id of studio.ids) {
    const page = studio.read(id, true)
    if (page.removed) {
      expect(view.conversation(id)).toBeNull()
      continue
    }
    const path = view.path(id)
    expect(page.left).toBe(0)
    expect(withoutLateFields(page.messages)).toEqual(withoutLateFields(view.messages(path)))
    expect(withoutLateFields(page.beside)).toEqual(withoutLateFields(view.messages(view.beside(path.at(-1)))))
    expect(page.conversation).toEqual(view.conversation(id))
    expect(page.setup).toEqual(view.setup(id))
  }
}

it('any sequence of sends, edits, retries, stops, deletions, copies and crashes leaves a valid tree, and subscribers that agree with it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 35 }), async (steps) => {
      const studio = new Studio()
      try {
        for (const one of steps) {
          await Promise.resolve(one)
            .then((step) => doing[step.act](studio, step))
            .catch((thrown: unknown) => {
              if (!(thrown instanceof StudioError) || !['busy', 'bad_input', 'no_such_item'].includes(thrown.kind))
                throw thrown
            })
          await settled()
          checkTree(studio)
          await checkHistory(studio)
        }
        checkPages(studio)
        studio.crash()
        checkTree(studio)
        const open = studio.messages().filter(({ status }) => status === 'streaming' || status === 'pending')
        expect(open.every(({ id }) => !isSettled(studio.store.messages.get(id).run ?? emptyRun))).toBe(true)
      } finally {
        studio.close()
      }
    }),
    { numRuns: tries(30, 400), endOnFailure: process.env.SHRINK !== 'yes' },
  )
}, 240_000)

/** A settled run: after a start only tool calls may be open. */
const emptyRun = {
  callId: '',
  name: '',
  arguments: '',
  state: 'done' as const,
  tool: null,
  allowed: null,
  isError: false,
  notes: [],
  startedAt: null,
  finishedAt: null,
}
