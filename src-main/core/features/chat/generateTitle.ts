import type { Message } from '../../../../src-preload/contract/chat.ts'
import { asStudioError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import type { ChatChange } from './listWatcher.ts'
import type { ChatUpstream } from './replyRuns.ts'
import { titleOf } from './title.ts'

export interface TitlesOptions {
  store: Store
  upstream(): Promise<ChatUpstream>
  /** The model that writes titles. Null: no titles are generated. */
  model(): string | null
  logBodies(): boolean
  log(line: string): void
  notify(change: ChatChange): void
}

/** How much of the question and the reply is sent to the model, UTF-16 units. */
const longestQuestion = 2000
const longestReply = 1000
/** `max_tokens` of a title request: enough for a model that reasons first, and a limit on the cost. */
const maxTokens = 400
/** How long one title may take, ms. */
const patienceMs = 60_000

const titlePrompt =
  'Write a title of two to six words for the conversation below, in its language. Answer with the title alone: no quotation marks, no Markdown, no full stop.'

/**
 * Lets a model write the titles of new conversations, if the person chose a model. No chat waits for a title. After a failure, the title
 * from the first message stays. A title that a person wrote is never replaced.
 */
export class GeneratedTitles {
  readonly #options: TitlesOptions
  readonly #running = new Map<string, { abort: AbortController; done: Promise<void> }>()
  /** Ids of conversations whose title request has ended or that a person named. They get no further request. */
  readonly #settled = new Set<string>()

  constructor(options: TitlesOptions) {
    this.#options = options
  }

  /** Call when the end of a reply is stored. Starts a request for the first reply of a conversation, and returns at once. */
  replied(reply: Message): void {
    const { conversationId } = reply
    const model = this.#options.model()
    if (model === null || reply.status !== 'complete' || reply.text === '') return
    if (this.#settled.has(conversationId) || this.#running.has(conversationId)) return
    const given = this.#firstTitle(reply)
    if (given === undefined) return
    const abort = new AbortController()
    const done = this.#generate(reply, model, given, abort.signal)
      .catch((thrown: unknown) => {
        if (abort.signal.aborted) return
        this.#settled.add(conversationId)
        this.#options.log(`A title could not be written by ${model}: ${asStudioError(thrown).message}`)
      })
      .finally(() => this.#running.delete(conversationId))
    this.#running.set(conversationId, { abort, done })
  }

  /** Call when a person names a conversation. Cancels its title request. */
  named(conversationId: string): void {
    this.#settled.add(conversationId)
    this.#running.get(conversationId)?.abort.abort()
  }

  /**
   * Call before a message is sent: cancels all title requests, because the message may need the only slot of the API key. The next reply
   * tries again.
   */
  giveWay(): void {
    for (const { abort } of this.#running.values()) abort.abort()
  }

  /** Cancels running title requests. Resolves when they have ended. */
  async close(): Promise<void> {
    const running = [...this.#running.values()]
    for (const { abort } of running) abort.abort()
    await Promise.all(running.map(({ done }) => done))
  }

  /**
   * The title from the first message, which a generated title may replace. Undefined if a person wrote the title or the path has
   * branches.
   */
  #firstTitle({ conversationId, parentId }: Message): string | null | undefined {
    const { store } = this.#options
    const path = store.messages.path(parentId)
    const question = path.find(({ role }) => role === 'user')
    const title = store.conversations.find(conversationId)?.title
    if (!question || title === undefined || path.some(({ siblings }) => siblings > 1)) return undefined
    return !store.conversations.isNamed(conversationId) && title === titleOf(question.text) ? title : undefined
  }

  async #generate(reply: Message, model: string, given: string | null, signal: AbortSignal): Promise<void> {
    const { store, upstream, logBodies, notify } = this.#options
    const { conversationId } = reply
    const path = [...store.messages.path(reply.parentId), reply]
    const question = path.find(({ role }) => role === 'user')?.text.slice(0, longestQuestion) ?? ''
    const answer = path.find(({ role, text }) => role === 'assistant' && text !== '')?.text.slice(0, longestReply) ?? ''
    const content = `${titlePrompt}\n\nUser:\n${question}\n\nAssistant:\n${answer}`
    const request = { model, messages: [{ role: 'user' as const, content }], max_tokens: maxTokens }
    const either = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
    const client = await upstream()
    let text = ''
    const options = { feature: 'titles' as const, signal: either, once: true, logBodies: logBodies() }
    for await (const event of client.streamChatCompletion(request, options)) {
      if (event.type === 'content' && event.choice === 0 && text.length < longestReply) text += event.text
    }
    const title = titleOf(
      text
        .slice(0, longestReply)
        .trim()
        .replace(/^["'“”„«»]+|["'“”„«»]+$/gu, ''),
    )
    if (title === null) throw new Error('Its reply had no words.')
    const isNew = store.transaction(() => {
      // The person may have named or deleted the conversation while the model wrote.
      if (signal.aborted || store.conversations.find(conversationId)?.title !== given) return false
      store.conversations.setTitle(conversationId, title)
      return true
    })
    this.#settled.add(conversationId)
    if (isNew) notify({ what: 'conversation', conversationId })
  }
}
