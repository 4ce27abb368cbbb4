import { answerFromGuide } from '../guide/answer.ts'
import { seededRandom } from '../world/seed.ts'
import type { Brief, ReplyDraft } from './brief.ts'
import { citePassages } from './citer.ts'
import { writeDocument } from './documents.ts'
import { describeImage } from './images.ts'
import { mirror } from './mirror.ts'
import { prose } from './prose.ts'
import { imagesOf, lastUserText } from './request.ts'
import type { TokenPiece } from './tokens.ts'
import { callTools } from './toolCaller.ts'
import { write } from './writer.ts'

const OPENINGS = ['Let me look at what is asked.', 'First, what is known.', 'One thing at a time.'] as const
const TURNS = ['That leaves a second way to see it.', 'But is that all?', 'Checking that once more.'] as const
const CLOSES = ['That holds. Now to say it plainly.', 'Enough; the answer can be short.'] as const

/** Reasons in seeded prose, then answers. */
function reason({ request, pace, seed }: Brief): ReplyDraft {
  const random = seededRandom(seed, 'reasoning')
  const asked = Array.from(lastUserText(request)).length
  const wanted = pace.reasoningTokens ?? 90
  const thoughts = [random.pick(OPENINGS), `The message has ${asked} characters.`]
  // About four characters per token. The length of reasoning need not be exact.
  while (thoughts.join(' ').length < wanted * 4) thoughts.push(prose(random, 2), random.pick(TURNS))
  const answerRandom = seededRandom(seed, 'answer')
  return {
    reasoning: wanted === 0 ? '' : `${thoughts.join(' ')} ${random.pick(CLOSES)}`,
    content: paragraphs(pace.tokens ?? 120, () => prose(answerRandom, 3)),
    exact: true,
  }
}

function paragraphs(tokens: number, next: () => string): string {
  let text = next()
  while (text.length < tokens * 5) text += `\n\n${next()}`
  return text
}

/** Reports measurable facts about each image of the conversation, and nothing about its contents. */
async function describeImages({ request }: Brief): Promise<ReplyDraft> {
  const urls = request.messages.flatMap((message) => imagesOf(message.content))
  if (urls.length === 0) {
    return {
      content:
        'No image came with this conversation. Attach one, and its dimensions and mean colour will be stated here.',
    }
  }
  const lines: string[] = []
  for (const [index, url] of urls.entries()) lines.push(`**Image ${index + 1}.** ${await describeImage(url)}`)
  return { content: `${lines.join('\n\n')}\n` }
}

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
  if (model.speaker === 'guide') return await answerFromGuide(brief)
  if (model.speaker === 'mirror') return await mirror(brief)
  if (model.speaker === 'reasoner') return reason(brief)
  if (model.speaker === 'tool-caller') return callTools(brief)
  if (model.speaker === 'document-writer') return writeDocument(brief)
  if (model.speaker === 'citer') return citePassages(brief)
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
