import { showLine, tell } from './output.ts'
import { cut, outputWidth, widthOf } from './table.ts'

/** Work that ends sooner shows no progress, ms. */
const showAfterMs = 1000
/** On a terminal the bar is drawn anew this often, elsewhere a line is written this often, ms. */
const drawEveryMs = { bar: 100, line: 10_000 }
const barWidth = 24

/** Progress of long work. */
export interface Progress {
  /** @param total 0 when it is unknown */
  show(label: string, done: number, total: number): void
  /** Removes the bar. */
  end(): void
}

/** Shows progress on standard error: a bar on a terminal, lines elsewhere. */
export function openProgress(): Progress {
  const isTerminal = process.stderr.isTTY === true
  const every = isTerminal ? drawEveryMs.bar : drawEveryMs.line
  let last = performance.now() + showAfterMs - every
  let isDrawn = false
  return {
    show(label, done, total) {
      const now = performance.now()
      if (now - last < every) return
      last = now
      const part = total > 0 ? Math.min(1, done / total) : 0
      const percent = total > 0 ? `${Math.floor(part * 100)} %` : ''
      if (!isTerminal) return tell('info', `${label} ${percent}`.trim())
      const filled = Math.round(part * barWidth)
      const line = `${label} [${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${percent}`
      const room = Math.max(10, outputWidth(process.stderr) - 1)
      const shown = cut(line, room)
      showLine(shown + ' '.repeat(isDrawn ? room - widthOf(shown) : 0))
      isDrawn = true
    },
    end() {
      if (isDrawn) showLine(' '.repeat(Math.max(10, outputWidth(process.stderr) - 1)))
      isDrawn = false
    },
  }
}
