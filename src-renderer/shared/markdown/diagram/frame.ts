/** Our own static page, which is served with a policy of its own: no network at all. See `src-renderer/diagram/`. */
export const framePage = './diagram/index.html'
/** Characters. */
export const longestDiagram = 20_000
const loadSeconds = 20
const drawSeconds = 8
/** px; a higher diagram scrolls inside of its frame. */
const highest = 640
const [leastHeight, edges] = [60, 24]

export type DiagramState =
  | { is: 'drawing' }
  /** `scale` is what fits its width, at most 1; `height` the frame's, in px. */
  | { is: 'drawn'; scale: number; height: number }
  | { is: 'failed'; why: 'late' | 'long' | 'no_frame'; seconds: number }
  | { is: 'failed'; why: 'refused'; reason: string }

/** What the frame may say. It is a stranger's: each word of it is looked at. */
type Said = { type: 'ready' } | { type: 'drawn'; width: number; height: number } | { type: 'failed'; reason: string }

function read(data: unknown): Said | null {
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
 * Has the frame draw `source` and tells how that goes. The frame has an origin of its own that nothing shares, so both sides know each
 * other by their windows. Who is late is taken out of the page by the caller, which ends it.
 */
export function drawInFrame(
  frame: HTMLIFrameElement,
  source: string,
  notify: (state: DiagramState) => void,
): { zoom: (scale: number | null) => void; end: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let width = 0
  let height = 0
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
    const said = read(event.data)
    if (said?.type === 'ready') {
      within(drawSeconds, 'late')
      say({ type: 'draw', source, dark: isDark(frame) })
    } else if (said) {
      clearTimeout(timer)
      if (said.type === 'failed') {
        notify({ is: 'failed', why: 'refused', reason: said.reason })
        return
      }
      width = said.width
      height = said.height
      show(null)
    }
  }
  if (source.length > longestDiagram) {
    // Told a moment later, as all else is.
    timer = setTimeout(() => notify({ is: 'failed', why: 'long', seconds: 0 }), 0)
  } else {
    addEventListener('message', hear)
    within(loadSeconds, 'no_frame')
  }
  return {
    zoom: (scale) => width > 0 && show(scale),
    end: () => {
      clearTimeout(timer)
      removeEventListener('message', hear)
    },
  }
}

/** Which of the two themes counts: `light-dark()` resolves it, whether the system or the person chose it. */
function isDark(frame: HTMLElement): boolean {
  const { color } = getComputedStyle(frame)
  const [red = 0] = color.match(/\d+/g)?.map(Number) ?? []
  // Ink is light in the dark.
  return red > 128
}
