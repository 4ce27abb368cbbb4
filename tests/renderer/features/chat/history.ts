import type { ConversationEvent, Message } from '../../../../src-preload/contract/chat.ts'
import { emptySetup } from '../../../../src-preload/contract/chat.ts'
import { conversation, message } from './harness/scenes.ts'

/** An action of a person or the service. Numbers are taken modulo the number of choices. */
export type Step =
  | { do: 'send'; replies: number }
  | { do: 'retry'; reply: number }
  | { do: 'edit'; turn: number }
  | { do: 'choose'; message: number }
  | { do: 'grow'; reply: number; by: string }
  | { do: 'end'; reply: number }
  | { do: 'earlier'; batch: number }
  | { do: 'watch'; newest: number }

/**
 * The tree of a chat as in the core, with one watcher, in the simplest possible way: every change is the difference of two paths. `events`
 * are the events that the watcher received.
 */
export class History {
  readonly events: ConversationEvent[] = []
  readonly #tree = new Map<string, Message>()
  /** The selected child of each message (null: the root). */
  readonly #next = new Map<string | null, string>()
  /** The first index of the path that the watcher received. */
  #from = 0
  #made = 0

  constructor() {
    this.#watch(2)
  }

  path(): Message[] {
    const path: Message[] = []
    for (let id = this.#next.get(null); id !== undefined; id = this.#next.get(id)) path.push(this.#at(id))
    return path
  }

  beside(): Message[] {
    const last = this.path().at(-1)
    if (!last?.askId) return []
    const together = this.#all().filter(({ askId }) => askId === last.askId)
    return together.length > 1 ? together : []
  }

  step(step: Step): void {
    if (step.do === 'watch') this.#watch(step.newest)
    else if (step.do === 'earlier') this.#earlier(step.batch)
    else if (step.do === 'grow') this.#grow(step.reply, step.by)
    else if (step.do === 'end') this.#end(step.reply)
    else this.#branch(() => this.#change(step))
  }

  /** Sends everything that is still missing to the watcher. */
  finish(): void {
    while (this.#from > 0) this.#earlier(3)
  }

  #change(step: Extract<Step, { do: 'send' | 'retry' | 'edit' | 'choose' }>): void {
    if (step.do === 'choose') {
      const chosen = pick(this.#all(), step.message)
      for (let one: Message | undefined = chosen; one; one = one.parentId === null ? undefined : this.#at(one.parentId))
        this.#next.set(one.parentId, one.id)
    } else if (step.do === 'send') {
      const turn = this.#add('user', this.path().at(-1)?.id ?? null)
      this.#ask(turn.id, step.replies)
    } else if (step.do === 'retry') {
      const reply = pick(this.#withRole('assistant'), step.reply)
      if (reply?.parentId) this.#ask(reply.parentId, 1)
    } else {
      const turn = pick(this.#withRole('user'), step.turn)
      if (turn) this.#ask(this.#add('user', turn.parentId).id, 1)
    }
  }

  #ask(turnId: string, replies: number): void {
    const askId = crypto.randomUUID()
    const made = Array.from({ length: replies }, () => this.#add('assistant', turnId, askId))
    const [first] = made
    if (first) this.#next.set(turnId, first.id)
  }

  #add(role: 'user' | 'assistant', parentId: string | null, askId: string | null = null): Message {
    this.#made += 1
    const status = role === 'assistant' ? 'streaming' : 'complete'
    const one = message(this.#made, {
      role,
      parentId,
      askId,
      status,
      text: role === 'user' ? `turn ${this.#made}` : '',
    })
    this.#tree.set(one.id, one)
    this.#next.set(parentId, one.id)
    return one
  }

  #grow(reply: number, append: string): void {
    const growing = pick(this.#running(), reply)
    if (!growing) return
    this.#tree.set(growing.id, { ...growing, text: growing.text + append })
    if (!this.#isShown(growing.id)) return
    this.events.push({ type: 'delta', messageId: growing.id, field: 'text', at: growing.text.length, append })
  }

  #end(reply: number): void {
    const ending = pick(this.#running(), reply)
    if (!ending) return
    const ended: Message = { ...ending, status: 'complete' }
    this.#tree.set(ending.id, ended)
    if (this.#isShown(ended.id)) this.events.push({ type: 'message', message: ended })
  }

  #branch(change: () => void): void {
    const before = this.path()
    const besideBefore = this.beside()
    change()
    const after = this.path()
    const differs = after.findIndex((one, at) => one.id !== before[at]?.id)
    const shared = differs < 0 ? after.length : differs
    if (shared === before.length && shared === after.length && besideBefore.length === this.beside().length) return
    this.events.push({ type: 'path', unchanged: shared, messages: after.slice(shared), beside: this.beside() })
    this.#from = Math.min(this.#from, shared)
  }

  #watch(newest: number): void {
    const path = this.path()
    this.#from = Math.max(0, path.length - newest)
    const beside = this.beside()
    const messages = path.slice(this.#from)
    const one = conversation({ messages: this.#tree.size })
    this.events.push({ type: 'snapshot', conversation: one, setup: emptySetup, messages, beside, earlier: this.#from })
  }

  #earlier(batch: number): void {
    if (this.#from === 0) return
    const left = Math.max(0, this.#from - batch)
    this.events.push({ type: 'earlier', messages: this.path().slice(left, this.#from), left })
    this.#from = left
  }

  #isShown(id: string): boolean {
    const place = this.path().findIndex((one) => one.id === id)
    return place >= this.#from || this.beside().some((one) => one.id === id)
  }

  #all(): Message[] {
    return [...this.#tree.values()]
  }

  #withRole(role: Message['role']): Message[] {
    return this.path().filter((one) => one.role === role)
  }

  #running(): Message[] {
    return this.#all().filter(({ status }) => status === 'streaming')
  }

  #at(id: string): Message {
    const found = this.#tree.get(id)
    if (!found) throw new Error(`No message ${id} in the tree.`)
    return found
  }
}

const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)]
