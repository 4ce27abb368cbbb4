import type { AlertFacts } from '../../../../src-preload/contract/alerts.ts'
import type { Host } from '../../host.ts'
import { Debounced } from './debounce.ts'
import { placeOf, wordsOfAll } from './messages.ts'

/** What comes within this is one notification: a service that is lost can cross several lines at once. */
const gatherMs = 500

/** Puts what was told into notifications of the system, where those are wanted. */
export class Notifier {
  readonly #notify: () => Host['notify']
  readonly #later: Debounced
  #waiting: AlertFacts[] = []

  constructor(notify: () => Host['notify']) {
    this.#notify = notify
    this.#later = new Debounced(gatherMs, () => this.#show())
  }

  notify(facts: readonly AlertFacts[]): void {
    if (facts.length === 0 || !this.#notify()) return
    this.#waiting.push(...facts)
    this.#later.soon()
  }

  close(): void {
    this.#later.close()
  }

  #show(): void {
    const [first, ...rest] = this.#waiting
    this.#waiting = []
    if (first) this.#notify()?.({ ...wordsOfAll([first, ...rest]), place: placeOf(first) })
  }
}
