import { ServiceError } from '../errors.ts'
import { type Random, seededHex, seededRandom } from '../world/seed.ts'
import type { Brief, ReplyDraft } from './brief.ts'
import { type ChatTool, lastUserText, type SandboxChatRequest, textOf } from './request.ts'
import { sampleOf } from './schemaSample.ts'

/** Calls the tools that the message names, or the first one. When results arrive, repeats them. */
export function callTools({ request, seed }: Brief): ReplyDraft {
  const last = request.messages.at(-1)
  if (last?.role === 'tool') return { content: resultsInWords(request) }
  const chosen = choose(request)
  if (chosen.length === 0) return { content: 'No tool was called: none was given, or `tool_choice` was `none`.' }
  const calls = chosen.map((tool, index) => ({
    id: `call_${seededHex(24, seed, 'call', String(index))}`,
    name: tool.function.name,
    arguments: JSON.stringify(argumentsFor(tool, seededRandom(seed, 'arguments', String(index)))),
  }))
  return { content: '', calls }
}

/** Generates arguments that satisfy the tool's parameters. Throws 400 with the tool's name if it finds none. */
function argumentsFor(tool: ChatTool, random: Random): unknown {
  try {
    return sampleOf(tool.function.parameters ?? { type: 'object' }, random)
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    throw new ServiceError(400, cause.code, `The parameters of tool "${tool.function.name}": ${cause.message}`)
  }
}

function choose(request: SandboxChatRequest): ChatTool[] {
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
  const text = lastUserText(request)
  const named = tools.filter((tool) => text.includes(tool.function.name))
  return named.length > 0 ? named : tools.slice(0, 1)
}

function resultsInWords(request: SandboxChatRequest): string {
  const calls = new Map(
    request.messages.flatMap((message) => message.tool_calls ?? []).map((call) => [call.id, call.function.name]),
  )
  const lastAsked = request.messages.findLastIndex((message) => message.role !== 'tool')
  const results = request.messages.slice(lastAsked + 1).map((message) => {
    const name = calls.get(message.tool_call_id ?? '') ?? message.tool_call_id ?? 'a tool'
    return `- \`${name.replace(/[`\r\n]/g, ' ')}\` answered:\n\n${textOf(message.content).replace(/^/gm, '  > ')}`
  })
  return `The results arrived.\n\n${results.join('\n')}\n`
}
