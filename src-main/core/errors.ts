import type { Problem, ProblemKind } from '../../src-preload/contract/problem.ts'

/** The machine-readable fields of a problem. */
export type ProblemFacts = Omit<Problem, 'kind' | 'message'>

/** The program's error class: `kind` says what failed, `facts` has the details, and `message` is one sentence for a person. */
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

/** Converts anything thrown. A StudioError is returned unchanged; everything else becomes a `bug` with its cause. */
export function asStudioError(thrown: unknown): StudioError {
  if (thrown instanceof StudioError) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new StudioError('bug', `Something went wrong inside Inference Studio: ${message}`, {}, { cause: thrown })
}

/** Not safe to retry automatically: the request may have reached the service. */
export const mayHaveLeft = (): StudioError =>
  new StudioError(
    'bad_input',
    'The request may have reached the service. Only you can decide whether to send it again.',
  )
