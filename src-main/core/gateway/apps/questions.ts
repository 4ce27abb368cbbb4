import { randomUUID } from 'node:crypto'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type {
  AnswerOutcome,
  AppQuestion,
  AskedRequest,
  QuestionAnswer,
} from '../../../../src-preload/contract/questions.ts'
import type { AnswerKind } from '../../../../src-preload/contract/requests.ts'
import { StudioError } from '../../errors.ts'
import { Listeners } from '../../shared/events.ts'
import { fromNano, type Nano, toNano } from '../../shared/money.ts'
import { guarded } from '../../shared/unexpected.ts'
import { asStoreError } from '../../store/databaseErrors.ts'
import type { Store } from '../../store/store.ts'
import { type Grants, grantsOf, roundRaise } from './answers.ts'

/** How many requests of one app may wait for an answer. Each holds its body in memory. */
export const mostAsking = 8
/** How many requests one question may have in all, so that an app that asks and disconnects again and again can't fill its row. */
const mostAsked = 100
/** A further question that follows this soon on one that nobody answered is not notified about, ms. An app may ask and disconnect at any rate. */
const quietMs = 30_000
/** How long questions are stored, ms: longer than a month, in which a raise holds. */
const keptMs = 40 * 86_400_000

/**
 * What became of a waiting request: the answer, or `none` in time. `again`: the answer was not about it. `full`: too many requests wait, so
 * it did not.
 */
export type Asked = AnswerKind | 'none' | 'again' | 'full'

export interface QuestionsOptions {
  store: Pick<Store, 'appQuestions' | 'dataVersion' | 'pending'>
  /** Stores an answer, as `answerQuestion` does. */
  save(given: QuestionAnswer): AnswerOutcome
  /** Spent today by an app, nano-SC. */
  spentToday(appId: string): Nano
  /** A person should be told about a question. */
  asked(question: AppQuestion): void
  /** Milliseconds since 1970. */
  now?: () => number
}

/** A request that waits. */
interface Waiting {
  request: AskedRequest
  endsAt: number
  overspent: Nano
  end(asked: Asked): void
}

interface OpenQuestion {
  readonly id: string
  readonly app: Pick<App, 'id' | 'name'>
  readonly askedAt: string
  readonly spentToday: string
  readonly waiting: Map<number, Waiting>
  joined: number
}

/**
 * The open questions of a running core: at most one for each app, about all its requests that wait. A question is a row of the database, so
 * that windows and other processes see the same one and the first answer holds. Only this core lets the requests go on.
 */
export class Questions {
  /** The list of open questions changed. */
  readonly changes = new Listeners()
  readonly #options: QuestionsOptions
  readonly #now: () => number
  /** By app. */
  readonly #open = new Map<string, OpenQuestion>()
  /** When a person was last told about a question that has no answer, by app. Milliseconds since 1970. */
  readonly #toldAt = new Map<string, number>()
  /** What answers allow, by app. Read again after each change of the database, and on each day. */
  readonly #grants = new Map<string, { version: number; day: string; grants: Grants }>()

  constructor(options: QuestionsOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    const { pending, appQuestions } = options.store
    pending.write('questions', 'The end of earlier questions', () => appQuestions.closeOpen(this.#instant()))
  }

  /** Oldest first. */
  list = (): AppQuestion[] => [...this.#open.values()].map(shown)

  /**
   * Waits until a person has answered, or until `endsAt` (ms since 1970). `overspent` as in `LimitRefusal`.
   * @throws StudioError `cancelled` when `signal` aborts; those of the database when the question can't be stored
   */
  ask(
    app: Pick<App, 'id' | 'name'>,
    request: Omit<AskedRequest, 'number'>,
    { signal, endsAt, overspent = 0n }: { signal: AbortSignal; endsAt: number; overspent?: Nano | undefined },
  ): Promise<Asked> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(cancelled())
      const leftMs = endsAt - this.#now()
      if (leftMs <= 0) return resolve('none')
      const known = this.#open.get(app.id)
      if (known && (known.waiting.size >= mostAsking || known.joined >= mostAsked)) return resolve('full')
      const question = known ?? this.#begin(app)
      question.joined += 1
      const number = question.joined
      const gone = (): void => {
        leave()
        reject(cancelled())
      }
      const leave = (): void => {
        stop()
        this.#left(question, number)
      }
      const timer = setTimeout(
        guarded('The end of a question could not be read', () => {
          // An answer of another process may have arrived since the last look.
          this.look()
          if (!question.waiting.has(number)) return
          leave()
          resolve('none')
        }),
        leftMs,
      )
      const stop = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', gone)
      }
      const end = (asked: Asked): void => {
        stop()
        resolve(asked)
      }
      question.waiting.set(number, { request: { number, ...request }, endsAt, overspent, end })
      signal.addEventListener('abort', gone, { once: true })
      try {
        this.#save(question, known === undefined)
      } catch (thrown) {
        stop()
        question.waiting.delete(number)
        if (!known) this.#open.delete(app.id)
        return reject(asStoreError(thrown))
      }
      this.changes.notify()
      if (!known) this.#tell(question)
    })
  }

  /** The answer of a person. @throws StudioError `no_such_item`, `bad_input` */
  answer(given: QuestionAnswer): AnswerOutcome {
    // Before a database that was locked has the end of a question, its row is still open.
    const isOpen = [...this.#open.values()].some(({ id }) => id === given.id)
    const stored = isOpen ? null : this.#options.store.appQuestions.find(given.id)
    const outcome: AnswerOutcome = stored
      ? { answer: stored.answer ?? 'none', isFirst: false }
      : this.#options.save(given)
    this.look()
    return outcome
  }

  /** Takes over the answers that are in the database. Call after each change of it. */
  look(): void {
    for (const [appId, question] of this.#open) {
      const { answer = null, seen = null } = this.#options.store.appQuestions.find(question.id) ?? {}
      if (answer === null) continue
      this.#open.delete(appId)
      this.#toldAt.delete(appId)
      this.#grants.delete(appId)
      const all = [...question.waiting]
      question.waiting.clear()
      for (const [number, { end }] of all) end(number <= (seen ?? number) ? answer : 'again')
      this.changes.notify()
    }
  }

  /** What earlier answers allow an app now. */
  grants = (appId: string): Grants => {
    const { dataVersion, appQuestions } = this.#options.store
    const [version, now] = [dataVersion(), this.#instant()]
    const day = now.slice(0, 10)
    const known = this.#grants.get(appId)
    if (known && known.version === version && known.day === day) return known.grants
    const grants = grantsOf(appQuestions.granted(appId, `${now.slice(0, 7)}-01`), now)
    this.#grants.set(appId, { version, day, grants })
    return grants
  }

  /** Ends all questions without an answer. */
  close(): void {
    for (const question of [...this.#open.values()]) {
      for (const { end } of question.waiting.values()) end('none')
      question.waiting.clear()
      this.#end(question)
    }
  }

  #begin({ id, name }: Pick<App, 'id' | 'name'>): OpenQuestion {
    const spentToday = fromNano(this.#options.spentToday(id))
    const question: OpenQuestion = {
      id: randomUUID(),
      app: { id, name },
      askedAt: this.#instant(),
      spentToday,
      waiting: new Map(),
      joined: 0,
    }
    this.#open.set(id, question)
    return question
  }

  #tell(question: OpenQuestion): void {
    const { id } = question.app
    const now = this.#now()
    // A clock that was set back must not make it silent.
    if (Math.abs(now - (this.#toldAt.get(id) ?? 0)) < quietMs) return
    this.#toldAt.set(id, now)
    this.#options.asked(shown(question))
  }

  #save(question: OpenQuestion, isNew: boolean): void {
    const { appQuestions } = this.#options.store
    const { id, app, askedAt, endsAt, spentToday, requests } = shown(question)
    if (!isNew) {
      appQuestions.refresh({ id, endsAt, requests })
      return
    }
    appQuestions.insert({ id, appId: app.id, askedAt, endsAt, spentToday, requests })
    appQuestions.trim(new Date(this.#now() - keptMs).toISOString())
  }

  /** A request waits no longer, and nobody has answered. The last one ends the question. */
  #left(question: OpenQuestion, number: number): void {
    if (!question.waiting.delete(number)) return
    if (question.waiting.size === 0) {
      this.#end(question)
      return
    }
    const { pending, appQuestions } = this.#options.store
    pending.write(`question ${question.id}`, 'A question', () => {
      if (question.waiting.size > 0) appQuestions.refresh(shown(question))
    })
    this.changes.notify()
  }

  #end({ id, app }: OpenQuestion): void {
    this.#open.delete(app.id)
    const { pending, appQuestions } = this.#options.store
    pending.write(`question ${id}`, 'The end of a question', () => {
      appQuestions.answer({ id, answer: 'none', amount: null, seen: null, at: this.#instant() })
    })
    this.changes.notify()
  }

  #instant = (): string => new Date(this.#now()).toISOString()
}

const cancelled = (): StudioError => new StudioError('cancelled', 'The app no longer waits for an answer.')

function shown({ id, app, askedAt, spentToday, waiting }: OpenQuestion): AppQuestion {
  const all = [...waiting.values()]
  const requests = all.map(({ request }) => request)
  const isAboutBudget = requests.some(({ reasons }) => reasons.some((one) => one !== 'model' && one !== 'cost'))
  const overspent = all.reduce((most, one) => (one.overspent > most ? one.overspent : most), 0n)
  const known = requests.reduce((sum, { cost }) => sum + toNano(cost ?? '0'), 0n)
  return {
    id,
    app,
    askedAt,
    endsAt: new Date(Math.max(...all.map(({ endsAt }) => endsAt))).toISOString(),
    spentToday,
    requests,
    cost: requests.some(({ cost }) => cost === null) ? null : fromNano(known),
    suggested: isAboutBudget ? fromNano(roundRaise(known, overspent)) : null,
  }
}
