import { ORPCError } from '@orpc/server'
import type { Conversation, ConversationEvent, ConversationListEvent } from '../../../src-preload/contract/chat.ts'
import { emptySetup } from '../../../src-preload/contract/chat.ts'
import type { Folder, Library, Prompt, RemovedConversation, SearchHit } from '../../../src-preload/contract/library.ts'
import type { Download, ImportReport } from '../../../src-preload/contract/transfers.ts'
import { message } from '../features/chat/harness/scenes.ts'

// Chats and the library, generated from their number, so that screenshots stay comparable.

const hour = 3_600_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const titles = [
  'Refactor the stream parser',
  'Tax letter, third draft',
  'What does this stack trace mean?',
  'Menu for eight, one vegan',
  'Compare three resampling filters',
  'Poster text, Spanish',
  'Notes from the planning call of the second quarter, with everything that was said about the roof and who is to pay for it',
  'Regex for IBANs',
  'Explain CRDTs with drawings',
  '東京の三日間の旅程',
  'رسالة إلى مكتب الضرائب',
  null,
]
const names = ['Work', 'Home', 'An uncommonly long name of a folder that nobody would choose']

type Loose<T> = { [K in keyof T]?: T[K] | undefined }
const given = <T extends object>(change: Loose<T>): Partial<T> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<T>

/** A listener receives `first`, then every later event. */
class Teller<T> {
  readonly #wakes = new Set<(event: T) => void>()
  notify(event: T): void {
    for (const wake of this.#wakes) wake(event)
  }
  async *listen(first: () => T, signal: AbortSignal | undefined): AsyncGenerator<T> {
    const waiting = [first()]
    let wake: () => void = () => undefined
    const hear = (event: T) => {
      waiting.push(event)
      wake()
    }
    this.#wakes.add(hear)
    signal?.addEventListener('abort', () => wake())
    try {
      while (!signal?.aborted) {
        const next = waiting.shift()
        if (next !== undefined) yield next
        else await new Promise<void>((done) => (wake = done))
      }
    } finally {
      this.#wakes.delete(hear)
    }
  }
}

export class Chats {
  readonly chats = new Map<string, Conversation>()
  readonly #gone = new Map<string, { chat: Conversation; at: string }>()
  #folders: Omit<Folder, 'conversations'>[] = []
  #prompts: Prompt[] = []
  readonly #list = new Teller<ConversationListEvent>()
  readonly #library = new Teller<Library>()
  #next = 1_000_000

  constructor(count: number) {
    if (count === 0) return
    this.#folders = names.map((name, at) => ({
      id: uuid(900 + at),
      name,
      model: null,
      instructions: null,
      params: null,
      wholeTokens: 8000,
      files: [],
    }))
    for (let n = 0; n < count; n++) this.#put(this.#chat(n))
    this.#prompts = [
      {
        id: uuid(800),
        name: 'Code review',
        text: 'Review this {{language=TypeScript}} code as a careful colleague:\n\n{{code}}',
        updatedAt: ago(hour),
      },
      { id: uuid(801), name: 'Summary', text: 'Summarise what I paste in five sentences.', updatedAt: ago(hour) },
    ]
  }

  #chat(n: number): Conversation {
    const title = titles[n % titles.length] ?? null
    const folder = n >= 2 && n % 5 === 2 ? this.#folders[(n / 5) % 2 < 1 ? 0 : 1] : undefined
    return {
      id: uuid(n + 1),
      title: title === null || n < titles.length ? title : `${title} ${n}`,
      model: n % 4 === 3 ? null : n % 2 === 0 ? 'writer-large' : 'reasoner',
      createdAt: ago(n * 5 * hour),
      updatedAt: ago(n * 5 * hour),
      messages: 2 + (n % 40),
      draft: n === 3 ? 'And what if the guests bring children?' : '',
      running: n === 0,
      waiting: n === 1,
      folderId: folder?.id ?? null,
      pinned: n === 4 || n === 5,
      archived: n % 11 === 10,
    }
  }

  #put(chat: Conversation): void {
    this.chats.set(chat.id, chat)
    this.#list.notify({ type: 'upsert', conversation: chat })
  }

  watchList = (signal: AbortSignal | undefined) =>
    this.#list.listen(() => ({ type: 'snapshot', conversations: [...this.chats.values()] }), signal)

  async *watch(id: string, signal: AbortSignal | undefined): AsyncGenerator<ConversationEvent> {
    const conversation = this.chats.get(id)
    if (!conversation) throw noSuch()
    const messages = [
      message(0, { conversationId: id, text: 'Where is the smallest fix?' }),
      message(1, { conversationId: id, text: 'Hold a trailing **CR** until the next byte decides.' }),
    ]
    yield { type: 'snapshot', conversation, setup: emptySetup, messages, beside: [], earlier: 0 }
    const events = this.#list.listen(() => ({ type: 'removed', id: '' }), signal)
    for await (const event of events) {
      if (event.type === 'upsert' && event.conversation.id === id)
        yield { type: 'conversation', conversation: event.conversation }
      else if (event.type === 'removed' && event.id === id) yield { type: 'removed' }
    }
  }

  update(id: string, { title, ...change }: Loose<Conversation>): void {
    const chat = this.chats.get(id)
    if (!chat) throw noSuch()
    this.#put({ ...chat, ...given<Conversation>(change), ...(title === undefined ? {} : { title: title || null }) })
    this.#notify()
  }

  duplicate(id: string): { conversationId: string } {
    const chat = this.chats.get(id)
    if (!chat) throw noSuch()
    const conversationId = uuid(this.#next++)
    this.#put({ ...chat, id: conversationId, updatedAt: ago(0), running: false, waiting: false })
    return { conversationId }
  }

  remove(id: string): void {
    const chat = this.chats.get(id)
    if (!chat) throw noSuch()
    this.chats.delete(id)
    this.#gone.set(id, { chat, at: ago(0) })
    this.#list.notify({ type: 'removed', id })
    this.#notify()
  }

  restore(id: string): void {
    const gone = this.#gone.get(id)
    if (!gone) throw noSuch()
    this.#gone.delete(id)
    this.#put(gone.chat)
    this.#notify()
  }

  removed(): RemovedConversation[] {
    return [...this.#gone.values()].map(({ chat, at }) => ({
      id: chat.id,
      title: chat.title,
      messages: chat.messages,
      removedAt: at,
      erasedAt: new Date(Date.parse(at) + 30 * 24 * hour).toISOString(),
    }))
  }

  erase(ids: string[] | undefined): { erased: number } {
    const before = this.#gone.size
    for (const id of ids ?? [...this.#gone.keys()]) this.#gone.delete(id)
    this.#notify()
    return { erased: before - this.#gone.size }
  }

  #current = (): Library => ({
    folders: this.#folders
      .map((folder) => ({
        ...folder,
        conversations: [...this.chats.values()].filter(({ folderId }) => folderId === folder.id).length,
      }))
      .sort((a, b) => a.name.localeCompare(b.name)),
    prompts: [...this.#prompts].sort((a, b) => a.name.localeCompare(b.name)),
    presets: [],
    removed: this.#gone.size,
  })
  #notify = (): void => this.#library.notify(this.#current())
  watchLibrary = (signal: AbortSignal | undefined) => this.#library.listen(this.#current, signal)

  saveFolder(id: string | undefined, name: string): { id: string } {
    const its = id ?? uuid(this.#next++)
    this.#folders = [
      ...this.#folders.filter((one) => one.id !== its),
      { id: its, name, model: null, instructions: null, params: null, wholeTokens: 8000, files: [] },
    ]
    this.#notify()
    return { id: its }
  }

  removeFolder(id: string): void {
    this.#folders = this.#folders.filter((one) => one.id !== id)
    for (const chat of this.chats.values()) if (chat.folderId === id) this.#put({ ...chat, folderId: null })
    this.#notify()
  }

  savePrompt(id: string | undefined, name: string, text: string): { id: string } {
    const its = id ?? uuid(this.#next++)
    this.#prompts = [...this.#prompts.filter((one) => one.id !== its), { id: its, name, text, updatedAt: ago(0) }]
    this.#notify()
    return { id: its }
  }

  removePrompt(id: string): void {
    this.#prompts = this.#prompts.filter((one) => one.id !== id)
    this.#notify()
  }

  search(text: string, limit: number): { hits: SearchHit[]; more: boolean } {
    if (text === 'fail') throw problem('bug', 'The search index can’t be read.')
    const words = text.toLowerCase().split(/\s+/)
    const said = 'The split is made on a carriage return alone, so the fix is to hold it until the next byte decides.'
    const hits = [...this.chats.values()].flatMap((chat): SearchHit[] => {
      const base = { conversationId: chat.id, title: chat.title, archived: chat.archived, at: chat.updatedAt }
      const found = (where: string): boolean => words.every((word) => where.toLowerCase().includes(word))
      const snippet = (where: string) =>
        where.split(new RegExp(`(${words.join('|')})`, 'i')).map((piece, at) => ({ text: piece, hit: at % 2 === 1 }))
      const title = chat.title ?? ''
      return [
        ...(found(title) ? [{ ...base, messageId: null, role: null, snippet: snippet(title), onPath: true }] : []),
        ...(found(said)
          ? [
              {
                ...base,
                messageId: message(1, {}).id,
                role: 'assistant' as const,
                snippet: snippet(said),
                onPath: chat.id !== uuid(2),
              },
            ]
          : []),
      ]
    })
    return { hits: hits.slice(0, limit), more: hits.length > limit }
  }

  import(): ImportReport {
    const conversationId = uuid(this.#next++)
    this.#put({ ...this.#chat(0), id: conversationId, title: 'Imported: a walk in Lisbon', running: false })
    return {
      kind: 'chatgpt',
      conversations: 128,
      messages: 4_210,
      pictures: 17,
      known: 3,
      leftOut: [
        { title: 'Empty shell', reason: 'It has no messages.' },
        { title: 'Plans for the garden, the shed and the fence behind the house', reason: 'It is nested too deeply.' },
        { title: 'Conversation 17 in conversations-002.json', reason: 'The file is damaged: its JSON is incomplete.' },
        { title: 'Holiday', reason: '3 of its messages do not match the format of ChatGPT. The others were imported.' },
      ],
      leftOutMore: 0,
      notes: [
        'A voice recording of “Walk” was left out: its sound is not in the file.',
        'Two plugins are not known here.',
      ],
      conversationId,
    }
  }

  readonly download: Download = {
    downloadId: uuid(700),
    name: 'inference-studio-2026-11-21.zip',
    mime: 'application/zip',
    bytes: 12,
  }
}

const problem = (kind: string, words: string) =>
  new ORPCError('PROBLEM', { data: { kind, message: words }, defined: true })
const noSuch = () => problem('no_such_item', 'No such conversation.')
