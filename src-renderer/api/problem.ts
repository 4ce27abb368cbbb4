import { ORPCError } from '@orpc/client'
import { type Problem, problem } from '../../src-preload/contract/problem.ts'
import { showNote } from '../i18n/format.ts'
import { TransportError } from './link.ts'

/** Turns anything that a call threw into a `Problem`. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof ORPCError) return problemOfReply(thrown)
  if (thrown instanceof TransportError) return { kind: 'connection_lost', message: thrown.message }
  if (thrown instanceof Error && thrown.name === 'AbortError') {
    return { kind: 'cancelled', message: 'This was cancelled, or the connection to Inference Studio was lost.' }
  }
  if (thrown instanceof Error && /not open|closed/i.test(thrown.message)) {
    return { kind: 'connection_lost', message: 'The connection to Inference Studio is lost.' }
  }
  const words = thrown instanceof Error ? thrown.message : String(thrown)
  return { kind: 'bug', message: `Something went wrong inside Inference Studio: ${words}` }
}

function problemOfReply(error: ORPCError<string, unknown>): Problem {
  const parsed = problem.safeParse(error.data)
  if (error.code === 'PROBLEM' && parsed.success) {
    const { note, message } = parsed.data
    return { ...parsed.data, message: note ? showNote(note) : message }
  }
  if (error.code === 'BAD_REQUEST') {
    return { kind: 'bad_input', message: 'Inference Studio did not accept this input.' }
  }
  return { kind: 'bug', message: `Something went wrong inside Inference Studio: ${error.message}` }
}
