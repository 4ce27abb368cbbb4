import type { AlertFacts } from '../../../../src-preload/contract/alerts.ts'
import type { Words } from '../../../../src-renderer/i18n/host.ts'
import type { Host } from '../../host.ts'
import { inBackground } from '../../shared/unexpected.ts'
import { Debounced } from './debounce.ts'
import { notificationText, placeOf } from './messages.ts'

/** Alerts within this time become one notification, ms. One event can cross several limits at once. */
const gatherMs = 500

/** Shows alerts as notifications of the operating system, if they are switched on. */
export class Notifier {
  readonly #words: Words
  readonly #notify: () => Host['notify']
  readonly #later: Debounced
  #waiting: AlertFacts[] = []

  constructor(notify: () => Host['notify'], words: Words) {
    this.#notify = notify
    this.#words = words
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
    // The host logs a failure. The list in the window has the alert in any case.
    const notify = first ? this.#notify() : null
    if (first && notify)
      inBackground(
        'A notification could not be shown',
        notify({ ...notificationText([first, ...rest], this.#words), place: placeOf(first) }),
      )
  }
}
