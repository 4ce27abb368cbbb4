/** A static page of this program with its own policy: no network, no origin. See `src-renderer/shared/preview/`. */
export const previewPage = '/preview/index.html'
/** Maximum length of a displayed document, characters. */
export const maxDocumentChars = 2_000_000

/** Interval of pings, and unanswered pings after which the frame counts as stopped. */
const [pingMs, maxUnanswered] = [1_000, 5]
const loadMs = 20_000

/** `stopped`: the frame does not answer, for example because of an endless loop. The caller removes it. */
export type FrameState = 'loading' | 'shown' | 'failed' | 'stopped' | 'no_frame'

export interface ShownDocument {
  kind: 'html' | 'svg'
  text: string
}

/** Type of a message of the frame. Messages are untrusted. */
function typeOf(data: unknown): string | null {
  return typeof data === 'object' && data !== null && 'type' in data && typeof data.type === 'string' ? data.type : null
}

/**
 * Shows documents in a frame and watches it. The frame has an opaque origin, so both sides identify each other by their windows. What is
 * shown before the frame is ready waits for it, and only the newest.
 */
export function connectFrame(
  frame: HTMLIFrameElement,
  notify: (state: FrameState) => void,
): { show: (shown: ShownDocument) => void; end: () => void } {
  let ready = false
  let waiting: ShownDocument | null = null
  let unanswered = 0
  let pings: ReturnType<typeof setInterval> | undefined
  const say = (words: object): void => frame.contentWindow?.postMessage(words, '*')
  const late = setTimeout(() => notify('no_frame'), loadMs)
  const send = (shown: ShownDocument): void => say({ type: 'show', ...shown })
  const ping = (): void => {
    if (++unanswered > maxUnanswered) {
      clearInterval(pings)
      notify('stopped')
    } else say({ type: 'ping' })
  }
  const hear = (event: MessageEvent): void => {
    if (event.source === null || event.source !== frame.contentWindow) return
    const type = typeOf(event.data)
    if (type === 'pong') unanswered = 0
    else if (type === 'shown' || type === 'failed') notify(type)
    else if (type === 'ready' && !ready) {
      ready = true
      clearTimeout(late)
      pings = setInterval(ping, pingMs)
      if (waiting) send(waiting)
      waiting = null
    }
  }
  addEventListener('message', hear)
  return {
    show(shown) {
      if (ready) send(shown)
      else waiting = shown
    },
    end() {
      clearTimeout(late)
      clearInterval(pings)
      removeEventListener('message', hear)
    },
  }
}
