import type { StudioError } from '../../src-main/core/errors.ts'
import type { ChatStreamEvent, TokenUsage } from '../../src-main/core/upstream/types.ts'

/** A tool call, joined from its pieces. */
export interface AccumulatedCall {
  index: number
  id: string | null
  name: string
  /** JSON text, unchecked. */
  arguments: string
}

/** One choice of a reply, joined from its events. */
export interface AccumulatedChoice {
  index: number
  content: string
  reasoning: string
  refusal: string
  toolCalls: AccumulatedCall[]
  finishReason: string | null
}

/** A chat reply so far, joined from its events. */
export interface Accumulated {
  id: string | null
  model: string | null
  created: number | null
  /** In the order of their indexes. */
  choices: AccumulatedChoice[]
  usage: TokenUsage | null
  done: boolean
  error: StudioError | null
}

export function emptyAccumulation(): Accumulated {
  return { id: null, model: null, created: null, choices: [], usage: null, done: false, error: null }
}

/** Adds one event, in place. Choices and tool calls are matched by index, in any order. */
export function accumulate(sum: Accumulated, event: ChatStreamEvent): void {
  switch (event.type) {
    case 'open':
      return
    case 'meta':
      sum.id = event.id
      sum.model = event.model
      sum.created = event.created
      return
    case 'content':
    case 'reasoning':
    case 'refusal':
      choiceOf(sum, event.choice)[event.type] += event.text
      return
    case 'tool_call': {
      const call = at(choiceOf(sum, event.choice).toolCalls, event.index, newCall)
      call.id ??= event.id
      call.name += event.name ?? ''
      call.arguments += event.arguments
      return
    }
    case 'finish':
      choiceOf(sum, event.choice).finishReason = event.reason
      return
    case 'usage':
      sum.usage = event.usage
      return
    case 'done':
      sum.done = true
      return
    case 'error':
      sum.error = event.error
  }
}

function choiceOf(sum: Accumulated, index: number): AccumulatedChoice {
  return at(sum.choices, index, newChoice)
}

/** The item with that index; inserts a new one in order. */
function at<T extends { index: number }>(items: T[], index: number, make: (index: number) => T): T {
  const found = items.find((item) => item.index === index)
  if (found !== undefined) return found
  const item = make(index)
  const next = items.findIndex((other) => other.index > index)
  items.splice(next === -1 ? items.length : next, 0, item)
  return item
}

function newCall(index: number): AccumulatedCall {
  return { index, id: null, name: '', arguments: '' }
}

function newChoice(index: number): AccumulatedChoice {
  return { index, content: '', reasoning: '', refusal: '', toolCalls: [], finishReason: null }
}
