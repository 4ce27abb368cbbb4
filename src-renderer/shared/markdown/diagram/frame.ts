/**
 * A static page of this program with its own content security policy: no network. See `src-renderer/shared/diagram/`. Absolute, because the
 * quick prompt is a page in another folder.
 */
export const framePage = '/diagram/index.html'
/** Maximum length of a diagram's source, characters. */
export const longestDiagram = 20_000
const loadSeconds = 20
const drawSeconds = 8
/** Maximum height of the frame, px. A taller diagram scrolls inside the frame. */
const highest = 640
const [leastHeight, edges] = [60, 24]

export type DiagramState =
  | { is: 'drawing' }
  /** `scale` fits the width, at most 1. `height` is the frame's, px. */
  | { is: 'drawn'; scale: number; height: number }
  | { is: 'failed'; why: 'late' | 'long' | 'no_frame'; seconds: number }
  | { is: 'failed'; why: 'refused'; reason: string }

/** Messages of the frame. They are untrusted, so every field is checked. */
type FrameMessage =
  | { type: 'ready' }
  | { type: 'drawn'; width: number; height: number }
  | { type: 'failed'; reason: string }

function read(data: unknown): FrameMessage | null {
  if (typeof data !== 'object' || data === null || !('type' in data)) return null
  if (data.type === 'ready') return { type: 'ready' }
  if (data.type === 'failed' && 'reason' in data && typeof data.reason === 'string')
    return { type: 'failed', reason: data.reason.slice(0, 1_000) }
  if (data.type !== 'drawn' || !('width' in data) || !('height' in data)) return null
  const { width, height } = data
  if (typeof width !== 'number' || typeof height !== 'number' || !(width > 0) || !(height > 0)) return null
  return { type: 'drawn', width: Math.min(width, 100_000), height: Math.min(height, 100_000) }
}

/**
 * Makes the frame draw `source` in the current theme, and again when the theme changes. Reports the state. The frame has an opaque origin,
 * so both sides identify each other by their windows. The caller removes a frame that exceeds its time limit.
 */
export function drawInFrame(
  frame: HTMLIFrameElement,
  source: string,
  notify: (state: DiagramState) => void,
): { zoom: (scale: number | null) => void; update: (source: string) => void; end: () => void } {
  let current = source
  let timer: ReturnType<typeof setTimeout> | undefined
  let width = 0
  let height = 0
  /** The theme of the drawing, null before the first one. */
  let dark: boolean | null = null
  const say = (words: object): void => frame.contentWindow?.postMessage(words, '*')
  const within = (seconds: number, why: 'late' | 'no_frame'): void => {
    clearTimeout(timer)
    timer = setTimeout(() => notify({ is: 'failed', why, seconds }), seconds * 1_000)
  }
  const show = (scale: number | null): void => {
    const fits = Math.min(1, Math.max(0.05, (frame.clientWidth - edges) / width))
    const shown = scale ?? fits
    say({ type: 'scale', scale: shown })
    notify({
      is: 'drawn',
      scale: shown,
      height: Math.min(highest, Math.max(leastHeight, Math.ceil(height * shown) + edges)),
    })
  }
  const hear = (event: MessageEvent): void => {
    if (event.source === null || event.source !== frame.contentWindow) return
    const message = read(event.data)
    if (message?.type === 'ready') {
      dark = isDark(frame)
      within(drawSeconds, 'late')
      say({ type: 'draw', source: current, dark })
    } else if (message) {
      clearTimeout(timer)
      if (message.type === 'failed') {
        notify({ is: 'failed', why: 'refused', reason: message.reason })
        return
      }
      width = message.width
      height = message.height
      show(null)
    }
  }
  const redraw = (): void => {
    if (dark === null || dark === isDark(frame)) return
    dark = !dark
    say({ type: 'draw', source: current, dark })
  }
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', redraw)
  const chosen = new MutationObserver(redraw)
  chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  if (source.length > longestDiagram) {
    // Reports asynchronously, like all other reports.
    timer = setTimeout(() => notify({ is: 'failed', why: 'long', seconds: 0 }), 0)
  } else {
    addEventListener('message', hear)
    within(loadSeconds, 'no_frame')
  }
  return {
    zoom: (scale) => width > 0 && show(scale),
    /** Draws a source that has grown. When it can't be drawn, the frame keeps the picture before. */
    update: (next) => {
      if (next === current) return
      current = next
      if (dark === null) return
      within(drawSeconds, 'late')
      say({ type: 'draw', source: next, dark, again: true })
    },
    end: () => {
      clearTimeout(timer)
      removeEventListener('message', hear)
      system.removeEventListener('change', redraw)
      chosen.disconnect()
    },
  }
}

/** The effective theme: `light-dark()` resolves it for both the system's and the person's choice. */
function isDark(frame: HTMLElement): boolean {
  const { color } = getComputedStyle(frame)
  const [red = 0] = color.match(/\d+/g)?.map(Number) ?? []
  // Text is light in the dark theme.
  return red > 128
}
