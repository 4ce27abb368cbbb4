import { randomUUID } from 'node:crypto'
import type { ToolCall, ToolRun } from '../../../../src-preload/contract/chat.ts'
import type { NewToolRow } from '../../ports/toolCalls.ts'
import { readArguments } from './arguments.ts'
import type { KnownTool } from './catalogue.ts'
import { limits } from './limits.ts'
import { invalidCallText, tooManyCallsText, unknownToolText } from './messages.ts'

/**
 * Creates one row per tool call of a reply, in its order. Calls with an unknown tool or unreadable arguments are
 * settled at once.
 */
export function rowsOf(calls: readonly ToolCall[], offered: readonly KnownTool[]): NewToolRow[] {
  const used = new Set<string>()
  return calls.map((call, index) => {
    const callId = uniqueId(call.id, used)
    if (index >= limits.callsPerReply) {
      const note = `This reply calls more than ${limits.callsPerReply} tools at once; this call was not run.`
      return settledRow(call, callId, 'invalid', null, [note], tooManyCallsText(limits.callsPerReply))
    }
    const tool = offered.find(({ sentName }) => sentName === call.name)
    if (!tool) {
      const known = offered.map(({ sentName }) => sentName)
      const note = call.name === '' ? 'It names no tool.' : 'No such tool is switched on in this chat.'
      return settledRow(call, callId, 'unknown_tool', null, [note], unknownToolText(call.name, known))
    }
    const read = readArguments(call.arguments)
    if ('fault' in read) return settledRow(call, callId, 'invalid', tool, [read.fault], invalidCallText([read.fault]))
    return { run: runOf(call, callId, 'awaiting', tool), text: '' }
  })
}

/** Id of a call as the model sent it. Generates one if it is missing or already used in this reply. */
function uniqueId(given: string | null, used: Set<string>): string {
  const id = given && !used.has(given) ? given : `call_${randomUUID().replaceAll('-', '')}`
  used.add(id)
  return id
}

function runOf(call: ToolCall, callId: string, state: ToolRun['state'], tool: KnownTool | null): ToolRun {
  return {
    callId,
    name: call.name,
    arguments: call.arguments,
    state,
    tool: tool && { id: tool.id, kind: tool.kind, server: tool.server?.name ?? null, fingerprint: tool.fingerprint },
    allowed: null,
    isError: false,
    notes: [],
    startedAt: null,
    finishedAt: null,
  }
}

function settledRow(
  call: ToolCall,
  callId: string,
  state: 'invalid' | 'unknown_tool',
  tool: KnownTool | null,
  notes: string[],
  text: string,
): NewToolRow {
  const finishedAt = new Date().toISOString()
  return { run: { ...runOf(call, callId, state, tool), isError: true, notes, finishedAt }, text }
}
