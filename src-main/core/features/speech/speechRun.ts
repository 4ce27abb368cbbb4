import { Listeners } from '../../shared/events.ts'

/** A running speech. The core owns it, so windows may close and reopen. */
export class SpeechRun {
  readonly id: string
  readonly abort = new AbortController()
  /** Notified of new bytes and of the end of a part or of the run. */
  readonly changes = new Listeners()
  /** The requested part, and the number of bytes in its file; both 0 between two parts. */
  part = 0
  receivedBytes = 0
  /** Whether bytes of this part have arrived. Until then, its file is from an earlier attempt. */
  begun = false
  /** Why this program ended the run: the person cancelled it, or the program is closing. */
  ending: 'cancelled' | 'closing' | null = null
  done: Promise<void> = Promise.resolve()

  constructor(id: string) {
    this.id = id
  }

  asksFor(part: number): void {
    this.part = part
    this.receivedBytes = 0
    this.begun = false
    this.changes.notify()
  }

  grew(receivedBytes: number): void {
    this.begun = true
    this.receivedBytes = receivedBytes
    this.changes.notify()
  }

  end(why: 'cancelled' | 'closing'): void {
    this.ending ??= why
    this.abort.abort()
  }
}
