import type { Message } from '../../../../../src-preload/contract/chat.ts'
import type { ContextParts } from '../../../../../src-preload/contract/context.ts'
import type { PromptMark } from '../../../store/countedPrompts.ts'

/** How the service's count of an earlier request corrects the local estimate. */
export interface Calibration {
  /** Tokens that the service counted for what the next request repeats unchanged. Null when any of it has changed. */
  counted: number | null
  /** Factor for everything that is estimated. */
  ratio: number
}

/** Before the service has counted a request: estimates stay as they are. */
export const uncalibrated: Calibration = { counted: null, ratio: 1 }

/** Limits of the factor. A count beyond them does not come from the tokenizer of a language model. */
const ratios = { least: 0.25, most: 4 }

/** The newest reply of a model on a path for which the service has counted the request. -1: none. */
export const lastCounted = (path: readonly Message[], model: string | null): number =>
  path.findLastIndex(
    ({ role, usage, model: own }) => role === 'assistant' && own === model && (usage?.promptTokens ?? 0) > 0,
  )

/**
 * Compares a counted request with the same part of the next one.
 * @param promptTokens as the service counted them
 * @param sent the counted request; null when it is not known
 * @param now the same part of the next request, with its estimated tokens
 */
export function calibrate(
  promptTokens: number,
  sent: PromptMark | null,
  now: PromptMark & { tokens: number; hasImages: boolean },
): Calibration {
  if (!sent) return uncalibrated
  const isSame = sent.hash === now.hash
  const counted = isSame ? promptTokens : null
  // Services count images in their own ways, which says nothing about text.
  if (now.hasImages || now.tokens === 0) return { counted, ratio: 1 }
  if (isSame) return { counted, ratio: limited(promptTokens / now.tokens) }
  if (sent.characters === 0 || now.characters === 0) return uncalibrated
  return { counted, ratio: limited(promptTokens / sent.characters / (now.tokens / now.characters)) }
}

const limited = (ratio: number): number => Math.min(ratios.most, Math.max(ratios.least, ratio))

/**
 * The estimated parts of a request, corrected. `before`: what was counted with an earlier request. Its parts together are exactly the counted
 * tokens. `rest`: everything else.
 */
export function calibratedParts(
  before: ContextParts,
  rest: ContextParts,
  { counted, ratio }: Calibration,
): ContextParts {
  const corrected = scaled(rest, ratio)
  const repeated = counted === null ? scaled(before, ratio) : scaledTo(before, counted)
  const sum = (part: keyof ContextParts): number => repeated[part] + corrected[part]
  return {
    instructions: sum('instructions'),
    files: sum('files'),
    history: sum('history'),
    message: sum('message'),
    tools: sum('tools'),
    // A limit, not a count.
    reply: before.reply + rest.reply,
  }
}

export const totalOf = (parts: ContextParts): number => Object.values(parts).reduce((sum, tokens) => sum + tokens, 0)

const scaled = ({ instructions, files, history, message, tools }: ContextParts, ratio: number): ContextParts => ({
  instructions: Math.round(instructions * ratio),
  files: Math.round(files * ratio),
  history: Math.round(history * ratio),
  message: Math.round(message * ratio),
  tools: Math.round(tools * ratio),
  reply: 0,
})

function scaledTo(parts: ContextParts, total: number): ContextParts {
  const all = totalOf(parts)
  const share = (tokens: number): number => (all === 0 ? 0 : Math.floor((tokens / all) * total))
  const [instructions, files, tools] = [share(parts.instructions), share(parts.files), share(parts.tools)]
  return { instructions, files, tools, message: 0, reply: 0, history: total - instructions - files - tools }
}
