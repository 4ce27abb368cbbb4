import { ServiceError } from '../errors.ts'
import { type Random, seededHex, seededRandom } from '../world/seed.ts'
import type { Brief, ReplyDraft } from './brief.ts'
import { lastUserText, type RequestedTool, type SandboxChatRequest, textOf } from './request.ts'
import { sampleOf } from './schemaSample.ts'

/**
 * Makes the calls of the script if a user message has one. Else calls the tools that the last message names, or the first one. When results
 * arrive and the script has no more calls, repeats them.
 */
export function callTools({ request, seed }: Brief): ReplyDraft {
  const scripted = nextScriptedCalls(request)
  if (scripted.length > 0) {
    const calls = scripted.map((call, index) => ({ id: `call_${seededHex(24, seed, 'call', String(index))}`, ...call }))
    return { content: '', calls }
  }
  const results = request.messages.findLastIndex(({ role }) => role === 'tool')
  // Some programs add a note of their own after the results.
  if (results !== -1 && (results === request.messages.length - 1 || scriptOf(request) !== null))
    return { content: resultsInWords(request, results) }
  const chosen = choose(request)
  if (chosen.length === 0) return { content: 'No tool was called: none was given, or `tool_choice` was `none`.' }
  const calls = chosen.map((tool, index) => ({
    id: `call_${seededHex(24, seed, 'call', String(index))}`,
    name: tool.function.name,
    arguments: JSON.stringify(argumentsFor(tool, seededRandom(seed, 'arguments', String(index)))),
  }))
  return { content: '', calls }
}

/** Whether the last message names an offered tool, has a script, or is the result of a call. */
export function hasCallsToMake(request: SandboxChatRequest): boolean {
  if (nextScriptedCalls(request).length > 0) return true
  if (request.messages.at(-1)?.role === 'tool') return true
  if (typeof request.tool_choice === 'object' || request.tool_choice === 'required') return true
  return request.tool_choice !== 'none' && namedTools(request).length > 0
}

const namedTools = (request: SandboxChatRequest): RequestedTool[] => {
  const text = lastUserText(request)
  return (request.tools ?? []).filter((tool) => text.includes(tool.function.name))
}

/** Generates arguments that satisfy the tool's parameters. Throws 400 with the tool's name if it finds none. */
function argumentsFor(tool: RequestedTool, random: Random): unknown {
  try {
    return sampleOf(tool.function.parameters ?? { type: 'object' }, random)
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    throw new ServiceError(400, cause.code, `The parameters of tool "${tool.function.name}": ${cause.message}`)
  }
}

function choose(request: SandboxChatRequest): RequestedTool[] {
  const tools = request.tools ?? []
  const choice = request.tool_choice ?? 'auto'
  if (choice === 'none') return []
  if (typeof choice === 'object') {
    const wanted = choice.function
    const name = typeof wanted === 'object' && wanted !== null && 'name' in wanted ? wanted.name : null
    const tool = tools.find((one) => one.function.name === name)
    if (!tool)
      throw new ServiceError(400, 'unknown_tool', `tool_choice names "${String(name)}", which is not among the tools.`)
    return [tool]
  }
  const named = namedTools(request)
  return named.length > 0 ? named : tools.slice(0, 1)
}

interface ScriptedCall {
  name: string
  /** JSON text, as in the message. */
  arguments: string
}

/** The last user message with a script: a code block with the info string `calls`. */
function scriptOf(request: SandboxChatRequest): { script: string; from: number } | null {
  for (let from = request.messages.length - 1; from >= 0; from -= 1) {
    const message = request.messages[from]
    if (message?.role !== 'user') continue
    const script = /^```calls\r?\n([\s\S]*?)^```/m.exec(textOf(message.content))?.[1]
    if (script !== undefined) return { script, from }
  }
  return null
}

/**
 * The calls of the next reply by the script: one call per line, as `NAME {"argument": "value"}`. An empty line separates the calls of one
 * reply from those of the next. Throws 400 for a line that is no call.
 */
function nextScriptedCalls(request: SandboxChatRequest): ScriptedCall[] {
  const found = scriptOf(request)
  if (!found || request.tool_choice === 'none') return []
  const replies = found.script
    .split(/\r?\n[ \t]*\r?\n/)
    .map((lines) => lines.split(/\r?\n/).filter((line) => line.trim() !== ''))
  const done = request.messages.slice(found.from).filter(({ tool_calls }) => (tool_calls?.length ?? 0) > 0).length
  return (replies[done] ?? []).map((line) => {
    const [, name, args] = /^\s*(\S+)\s+(\{.*\})\s*$/.exec(line) ?? []
    if (name === undefined || args === undefined || !isJson(args))
      throw new ServiceError(400, 'invalid_script', `This line of the calls is not NAME {JSON}: ${line.slice(0, 200)}`)
    return { name, arguments: args }
  })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** @param last index of the last result */
function resultsInWords(request: SandboxChatRequest, last: number): string {
  const calls = new Map(
    request.messages.flatMap((message) => message.tool_calls ?? []).map((call) => [call.id, call.function.name]),
  )
  const before = request.messages.slice(0, last).findLastIndex((message) => message.role !== 'tool')
  const results = request.messages.slice(before + 1, last + 1).map((message) => {
    const name = calls.get(message.tool_call_id ?? '') ?? message.tool_call_id ?? 'a tool'
    return `- \`${name.replace(/[`\r\n]/g, ' ')}\` answered:\n\n${textOf(message.content).replace(/^/gm, '  > ')}`
  })
  return `The results arrived.\n\n${results.join('\n')}\n`
}
