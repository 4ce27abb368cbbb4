import { WorkerFailed, WorkerLine } from '../workerQueue.ts'
import type { FormulaAnswer, FormulaQuestion } from './tree.ts'

const limit = 2_000
const firstLimit = 15_000
const maxKept = 1_500
/** Longer formulas stay TeX: their layout would cost time on the page's thread. */
export const longestTex = 4_000

const line = new WorkerLine<FormulaQuestion, FormulaAnswer>(
  () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'formulas' }),
)
const kept = new Map<string, FormulaAnswer>()
const keyOf = ({ tex, display }: FormulaQuestion): string => (display ? `d${tex}` : `i${tex}`)
let styles: Promise<unknown> | null = null

/** A cached formula, or null. */
export const knownFormula = (question: FormulaQuestion): FormulaAnswer | null => kept.get(keyOf(question)) ?? null

/** Builds a formula. Null when it takes too long. The first formula loads KaTeX, its style sheet and its fonts. */
export async function buildFormula(question: FormulaQuestion): Promise<FormulaAnswer | null> {
  const known = knownFormula(question)
  if (known) return known
  const first = styles === null
  styles ??= import('katex/dist/katex.min.css')
  try {
    const [answer] = await Promise.all([line.ask(question, first ? firstLimit : limit), styles])
    kept.set(keyOf(question), answer)
    for (const oldest of kept.keys()) {
      if (kept.size <= maxKept) break
      kept.delete(oldest)
    }
    return answer
  } catch (thrown) {
    if (thrown instanceof WorkerFailed) return null
    throw thrown
  }
}
