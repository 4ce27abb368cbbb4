import type { Brief, ReplyDraft } from './brief.ts'
import { mirror } from './mirror.ts'
import { reason } from './reasoner.ts'
import type { TokenPiece } from './tokens.ts'
import { callTools } from './toolCaller.ts'
import { describeImages } from './visionModel.ts'
import { write } from './writer.ts'

/** One increment of one field to send, and its number of tokens. */
export interface Step {
  delta: Record<string, unknown>
  tokens: number
}

export interface SandboxChoice {
  steps: Step[]
  finish: 'stop' | 'length' | 'tool_calls'
  tokens: number
}

async function draft(brief: Brief): Promise<ReplyDraft> {
  const { model } = brief
  if (model.speaker === 'mirror') return await mirror(brief)
  if (model.speaker === 'reasoner') return reason(brief)
  if (model.speaker === 'tool-caller') return callTools(brief)
  if (model.speaker === 'vision') return await describeImages(brief)
  return write(brief)
}

/** The complete answer of one choice as stream steps. Obeys `max_tokens` and `stop`. Reasoning uses the budget first. */
export async function answer(brief: Brief): Promise<SandboxChoice> {
  const { request, model, tokenizer } = brief
  const said = await draft(brief)
  const choice: SandboxChoice = { steps: [], finish: said.calls ? 'tool_calls' : 'stop', tokens: 0 }
  let left = request.max_tokens ?? Number.POSITIVE_INFINITY
  const add = (
    pieces: { pieces: TokenPiece[]; tokens: number; cut: boolean },
    delta: (text: string) => Step['delta'],
  ) => {
    for (const { text, tokens } of pieces.pieces) choice.steps.push({ delta: delta(text), tokens })
    choice.tokens += pieces.tokens
    left -= pieces.tokens
    if (pieces.cut) choice.finish = 'length'
    return !pieces.cut
  }
  if (said.reasoning) {
    const whole = add(tokenizer.pieces(said.reasoning, left), (text) => ({ [model.reasoningField]: text }))
    if (!whole) return choice
  }
  const exact = said.exact === true && brief.pace.tokens !== null ? brief.pace.tokens : Number.POSITIVE_INFINITY
  const stopped = untilStop(said.content, request.stop ?? [])
  const measured = tokenizer.pieces(stopped, Math.min(left, exact))
  // A cut at the requested length is a natural end. A cut by the budget is not.
  if (!add({ ...measured, cut: measured.cut && left < exact }, (content) => ({ content }))) return choice
  for (const [index, call] of (said.calls ?? []).entries()) {
    const { id, name } = call
    choice.steps.push({
      delta: { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
      tokens: 0,
    })
    const whole = add(tokenizer.pieces(call.arguments, left), (text) => ({
      tool_calls: [{ index, function: { arguments: text } }],
    }))
    if (!whole) return choice
  }
  return choice
}

function untilStop(text: string, stops: string[]): string {
  const ends = stops.filter((stop) => stop !== '').map((stop) => text.indexOf(stop))
  const first = Math.min(...ends.filter((at) => at >= 0))
  return Number.isFinite(first) ? text.slice(0, first) : text
}

/** Joins the steps to one message, for a reply without streaming. */
export function joinSteps(steps: Step[]): Record<string, unknown> {
  const text = (field: string) =>
    steps
      .map(({ delta }) => delta[field])
      .filter((part) => typeof part === 'string')
      .join('')
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = []
  for (const { delta } of steps) {
    const [part] = Array.isArray(delta.tool_calls) ? delta.tool_calls : []
    if (!part) continue
    const known = calls[part.index]
    if (known) known.function.arguments += part.function.arguments
    else calls[part.index] = { id: part.id, type: 'function', function: { ...part.function } }
  }
  const content = text('content')
  const reasoning = Object.fromEntries(
    ['reasoning_content', 'reasoning'].flatMap((field) => (text(field) === '' ? [] : [[field, text(field)]])),
  )
  return {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    ...reasoning,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}
