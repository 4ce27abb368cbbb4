import type { WebContents } from 'electron'
import type { WindowEvent } from '../../../src-preload/contract/desktop.ts'

/** Most events that wait for a page that does not listen. */
const maxWaiting = 20

interface Line {
  waiting: WindowEvent[]
  wakes: Set<() => void>
}

/** Events for single pages. They wait until the page listens, because a new window is still loading when files are opened with it. */
export class PageEvents {
  readonly #lines = new WeakMap<WebContents, Line>()

  send(contents: WebContents, event: WindowEvent): void {
    const line = this.#lineOf(contents)
    line.waiting.push(event)
    if (line.waiting.length > maxWaiting) line.waiting.shift()
    for (const wake of line.wakes) wake()
  }

  /** The events of a page, until `signal` aborts. One listener at a time gets each event. */
  async *watch(contents: WebContents, signal: AbortSignal | undefined): AsyncGenerator<WindowEvent, void, void> {
    const line = this.#lineOf(contents)
    let wake = (): void => undefined
    const wakeUp = (): void => wake()
    line.wakes.add(wakeUp)
    signal?.addEventListener('abort', wakeUp)
    try {
      while (!signal?.aborted) {
        const event = line.waiting.shift()
        if (event) yield event
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    } finally {
      line.wakes.delete(wakeUp)
      signal?.removeEventListener('abort', wakeUp)
    }
  }

  #lineOf(contents: WebContents): Line {
    const known = this.#lines.get(contents)
    if (known) return known
    const line: Line = { waiting: [], wakes: new Set() }
    this.#lines.set(contents, line)
    return line
  }
}
