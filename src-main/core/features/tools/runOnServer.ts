import type { ToolRunState } from '../../../../src-preload/contract/chat.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { KnownTool } from './catalogue.ts'
import type { McpServers } from './mcp/servers.ts'
import { failedWords, refusedWords, timedOutWords } from './messages.ts'
import { resultText } from './results.ts'

/** How a call ended: what its row says, and what the model is told. */
export interface Settled {
  state: Exclude<ToolRunState, 'awaiting' | 'by_hand' | 'running'>
  text: string
  isError: boolean
  notes: string[]
}

/** Has a server run a tool. Always answers, at the latest when the server's time is over or the signal says so; the server is told then. */
export async function runOnServer(
  servers: McpServers,
  { server, fingerprint }: KnownTool,
  args: Record<string, unknown>,
  stop: AbortSignal,
): Promise<Settled> {
  if (!server) throw new StudioError('bug', 'A tool of nobody can’t be run.')
  const late = AbortSignal.timeout(server.timeoutSeconds * 1000)
  const either = AbortSignal.any([stop, late])
  const ended = Promise.withResolvers<never>()
  const onEnd = (): void => ended.reject(either.reason)
  either.addEventListener('abort', onEnd, { once: true })
  try {
    const run = servers.find(server.id)
    if (!run) throw new StudioError('bad_input', `“${server.name}” is not there any more.`)
    const answered = await Promise.race([run.call(server.tool, fingerprint, args, either), ended.promise])
    if ('refused' in answered) {
      const why = run.secrecy.words(answered.refused)
      return { state: 'done', text: refusedWords(why), isError: true, notes: [why] }
    }
    const { text, isError, notes } = resultText(answered.result)
    return { state: 'done', text: run.secrecy.result(text), isError, notes }
  } catch (thrown) {
    if (late.aborted) {
      const note = `No answer within ${server.timeoutSeconds} s.`
      return { state: 'timed_out', text: timedOutWords(server.timeoutSeconds), isError: true, notes: [note] }
    }
    // Of a call that was refused before it was sent, nothing was done.
    const { kind, message } = asStudioError(thrown)
    const words =
      kind === 'bad_input' ? message : `“${server.name}” did not answer. ${message} It may have done its work.`
    return { state: 'failed', text: failedWords(words), isError: true, notes: [words] }
  } finally {
    either.removeEventListener('abort', onEnd)
  }
}
