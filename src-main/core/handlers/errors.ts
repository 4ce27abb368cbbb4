import { ORPCError } from '@orpc/server'
import { noteDamage } from '../data/recovery/damageNote.ts'
import { asStudioError, StudioError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Feed } from '../shared/events.ts'
import { asStoreError, isDamage } from '../store/database.ts'

/** Anything thrown, as the one error that the contract knows. A mistake of ours is logged with where it happened. */
export function toWire(host: Host, thrown: unknown): unknown {
  if (thrown instanceof ORPCError) {
    if (thrown.code !== 'BAD_REQUEST') return thrown
    return defined(new StudioError('bad_input', 'This request does not have the form that was agreed on.'))
  }
  const failure = asStudioError(asStoreError(thrown))
  if (isDamage(failure)) noteDamage(host.dataDir, failure.message)
  if (failure.kind === 'bug') host.log('error', whereOf(failure))
  return defined(failure)
}

/** The same for what an event stream throws on its way. */
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

function defined(failure: StudioError): ORPCError<'PROBLEM', unknown> {
  return new ORPCError('PROBLEM', { defined: true, message: failure.message, data: failure.toProblem() })
}

function whereOf(failure: StudioError): string {
  const cause = failure.cause instanceof Error ? failure.cause : failure
  return cause.stack?.split('\n').slice(0, 4).join(' | ') ?? failure.message
}
