import { Listeners } from '../../shared/events.ts'

/** A speech that is being spoken. A window may go and come: the run is the core's. */
export class SpeechRun {
  readonly id: string
  readonly abort = new AbortController()
  /** Something came, or a part or the whole is over. */
  readonly changes = new Listeners()
  /** The part that is asked for, and bytes of it that are in its file; 0 between two parts. */
  part = 0
  came = 0
  /** Whether anything of it came: until then its file holds what an earlier try left. */
  begun = false
  /** Why it was ended from here: by the person, or because the program ends. */
  ending: 'cancelled' | 'closing' | null = null
  done: Promise<void> = Promise.resolve()

  constructor(id: string) {
    this.id = id
  }

  asksFor(part: number): void {
    this.part = part
    this.came = 0
    this.begun = false
    this.changes.notify()
  }

  grew(came: number): void {
    this.begun = true
    this.came = came
    this.changes.notify()
  }

  end(why: 'cancelled' | 'closing'): void {
    this.ending ??= why
    this.abort.abort()
  }
}
