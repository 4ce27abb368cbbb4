import { drawFormula } from './draw.ts'
import type { FormulaQuestion } from './tree.ts'

// Builds formulas off the page's own thread: see `workerLine.ts` for who asks.
addEventListener('message', (event: MessageEvent<FormulaQuestion>) => postMessage(drawFormula(event.data)))
