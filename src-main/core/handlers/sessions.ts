import type { StoredSessions } from '../requestLog/sessions/stored.ts'
import type { Implementer } from './implementer.ts'

/** Procedures about the sessions of the request log. */
export const sessionsHandlers = (os: Implementer['sessions'], stored: StoredSessions) => ({
  list: os.list.handler(({ input }) => stored.list(input.filter, input.limit, input.skip)),
  get: os.get.handler(({ input }) => stored.get(input.id)),
  prompt: os.prompt.handler(({ input }) => stored.prompt(input.request)),
})
