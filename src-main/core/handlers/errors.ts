import { ORPCError } from '@orpc/server'
import { noteDamage } from '../data/recovery/damageNote.ts'
import { asStudioError, StudioError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Feed } from '../shared/events.ts'
import { asStoreError, isDamage } from '../store/databaseErrors.ts'

/** Converts anything thrown to the contract's `PROBLEM` error. Logs a bug with the top of its stack. */
export function toWire(host: Host, thrown: unknown): unknown {
  if (thrown instanceof ORPCError) {
    if (thrown.code !== 'BAD_REQUEST') return thrown
    return problemError(new StudioError('bad_input', 'This request does not match the contract.'))
  }
  return problemError(reported(host, thrown))
}

/** Converts anything thrown. Notes damage for the next start, and logs a bug with the top of its stack. */
export function reported(host: Host, thrown: unknown): StudioError {
  const failure = asStudioError(asStoreError(thrown))
  if (isDamage(failure)) noteDamage(host.dataDir, failure.message)
  if (failure.kind === 'bug') host.log('error', stackOf(failure))
  return failure
}

/** An event stream whose failures are converted by `toWire`. */
export function guarded<T>(host: Host, events: Feed<T>): Feed<T> {
  return {
    next: () =>
      events.next().catch((thrown: unknown) => {
        throw toWire(host, thrown)
      }),
    return: () => events.return?.() ?? Promise.resolve({ done: true, value: undefined }),
    [Symbol.asyncIterator]() {
      return this
    },
    async [Symbol.asyncDispose]() {
      await events.return?.()
    },
  }
}

function problemError(failure: StudioError): ORPCError<'PROBLEM', unknown> {
  return new ORPCError('PROBLEM', { defined: true, message: failure.message, data: failure.toProblem() })
}

function stackOf(failure: StudioError): string {
  const cause = failure.cause instanceof Error ? failure.cause : failure
  return cause.stack?.split('\n').slice(0, 4).join(' | ') ?? failure.message
}
