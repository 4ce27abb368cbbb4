import type { Problem, ProblemKind } from '../../src-preload/contract/problem.ts'

export type ProblemFacts = Omit<Problem, 'kind' | 'message'>

/** The one error class of the program: what failed is `kind`, the facts are fields, `message` is one sentence for a person. */
export class StudioError extends Error {
  override readonly name = 'StudioError'
  readonly kind: ProblemKind
  readonly facts: ProblemFacts

  constructor(kind: ProblemKind, message: string, facts: ProblemFacts = {}, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
    this.facts = facts
  }

  /** The failure as plain JSON, for the wire, the database and `--json`. */
  toProblem(): Problem {
    return { kind: this.kind, message: this.message, ...this.facts }
  }
}

/** Anything thrown, as a StudioError: our own as it is, everything else as a `bug` that keeps its cause. */
export function asStudioError(thrown: unknown): StudioError {
  if (thrown instanceof StudioError) return thrown
  const words = thrown instanceof Error ? thrown.message : String(thrown)
  return new StudioError('bug', `Something went wrong inside Inference Studio: ${words}`, {}, { cause: thrown })
}

/** What failed is to be done again later by itself, but may have been done. */
export const mayHaveLeft = (): StudioError =>
  new StudioError('bad_input', 'It may have reached the service: only you can say whether it is to be asked for again.')
