import { drawFormula } from './draw.ts'
import type { FormulaQuestion } from './tree.ts'

// Builds formulas in a worker. `workerQueue.ts` sends the requests.
addEventListener('message', (event: MessageEvent<FormulaQuestion>) => postMessage(drawFormula(event.data)))
