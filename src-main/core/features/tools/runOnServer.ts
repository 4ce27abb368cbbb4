import type { ToolRunState } from '../../../../src-preload/contract/chat.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { KnownTool } from './catalogue.ts'
import type { McpServers } from './mcp/servers.ts'
import { failedCallText, refusedCallText, timedOutCallText } from './messages.ts'
import { resultText } from './results.ts'

/** Outcome of a call: the new state of its row, and the text for the model. */
export interface Settled {
  state: Exclude<ToolRunState, 'awaiting' | 'by_hand' | 'running'>
  text: string
  isError: boolean
  notes: string[]
}

/**
 * Runs a tool on its MCP server. Never throws for a failure of the server. At the time limit of the server, or when `stop` aborts, sends
 * the server a cancellation and ends.
 */
export async function runOnServer(
  servers: McpServers,
  { server, fingerprint }: KnownTool,
  args: Record<string, unknown>,
  stop: AbortSignal,
): Promise<Settled> {
  if (!server) throw new StudioError('bug', 'A tool without a server cannot be run.')
  const late = AbortSignal.timeout(server.timeoutSeconds * 1000)
  const either = AbortSignal.any([stop, late])
  const ended = Promise.withResolvers<never>()
  const onEnd = (): void => ended.reject(either.reason)
  either.addEventListener('abort', onEnd, { once: true })
  try {
    const run = servers.find(server.id)
    if (!run) throw new StudioError('bad_input', `“${server.name}” does not exist any more.`)
    const answered = await Promise.race([run.call(server.tool, fingerprint, args, either), ended.promise])
    if ('refused' in answered) {
      const why = run.secrecy.words(answered.refused)
      return { state: 'done', text: refusedCallText(why), isError: true, notes: [why] }
    }
    const { text, isError, notes } = resultText(answered.result)
    return { state: 'done', text: run.secrecy.result(text), isError, notes }
  } catch (thrown) {
    if (late.aborted) {
      const note = `No answer within ${server.timeoutSeconds} s.`
      return { state: 'timed_out', text: timedOutCallText(server.timeoutSeconds), isError: true, notes: [note] }
    }
    // `bad_input` means that the call was not sent.
    const { kind, message } = asStudioError(thrown)
    const words =
      kind === 'bad_input' ? message : `“${server.name}” did not answer. ${message} The tool may have completed.`
    return { state: 'failed', text: failedCallText(words), isError: true, notes: [words] }
  } finally {
    either.removeEventListener('abort', onEnd)
  }
}
