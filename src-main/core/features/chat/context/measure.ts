import type { ChatParams, ChatSetup, Message } from '../../../../../src-preload/contract/chat.ts'
import type {
  ContextInputs,
  ContextLength,
  ContextMeasure,
  ContextParts,
} from '../../../../../src-preload/contract/context.ts'
import { numberPassages } from '../../../../../src-preload/contract/projects.ts'
import { fromAtto, toAtto } from '../../../shared/money.ts'
import type { PromptMark } from '../../../store/countedPrompts.ts'
import type { ChatFeature } from '../chat.ts'
import { hasPassages, historyOf, instructionsOf, type TurnContent, turnOf } from '../history.ts'
import { membersOf } from '../prepareRequest.ts'
import { calibrate, calibratedParts, lastCounted, totalOf, uncalibrated } from './calibrate.ts'
import { type CountedTokens, countedShare, countMessage, countText, imagesOf } from './count.ts'
import { type CountedMessage, oldestThatMayGo } from './oldest.ts'
import { promptMark } from './promptMark.ts'
import type { Summaries } from './summarise.ts'

/** The messages of a branch, counted. */
interface CountedHistory {
  path: readonly Message[]
  messages: readonly CountedMessage[]
  spent: ContextMeasure['spent']
  /** The request of the last reply, as the next request would repeat it. `key`: everything else that it depends on. */
  mark: { key: string; mark: PromptMark } | null
}

/** Tokens that begin the reply in the usual chat templates. */
export const tokensOfReplyStart = 3

/** How many conversations stay counted, so that a key press counts only the draft. */
const countedConversations = 8

/**
 * Estimates what the next request of a conversation contains. After the first reply, the service's own count of its request replaces the
 * estimate of the same part, and corrects the estimate of the rest. The messages are those that `prepareRequest` sends, because both come from
 * `historyOf`. Counted messages are cached until their conversation changes.
 */
export class ContextMeter {
  readonly #feature: ChatFeature
  readonly #summaries: Pick<Summaries, 'on'>
  readonly #histories = new Map<string, Promise<CountedHistory>>()

  constructor(feature: ChatFeature, summaries: Pick<Summaries, 'on'>) {
    this.#feature = feature
    this.#summaries = summaries
    feature.runs.view.changes.add(({ what, conversationId }) => {
      if (what !== 'text') this.#histories.delete(conversationId)
    })
  }

  /** @throws StudioError `no_such_item`, `bad_input` for the documents or the schema of the response format */
  async measure(input: ContextInputs['measure']): Promise<ContextMeasure> {
    const { neighbours } = this.#feature
    const { conversationId, setup, models } = input
    const history = conversationId === null ? nothing : await this.#history(conversationId)
    const { length, model } = this.#length(models)
    const own = await this.#next(input)
    const { before, after, calibration } = await this.#split(history, setup, model)
    const instructions = await this.#instructions(setup, hasPassages(history.path) || (input.passages ?? []).length > 0)
    const rest: ContextParts = {
      // The instructions explain citing from the first message with passages on.
      instructions: instructions - before.instructions,
      files: after.files + own.files,
      history: after.text,
      message: own.text + tokensOfReplyStart,
      tools: (await this.#tools(setup)) - before.tools,
      reply: replyBudget(setup.params),
    }
    const parts = calibratedParts(before, rest, calibration)
    const total = totalOf(parts)
    const hasReply = history.path.some(({ role, usage }) => role === 'assistant' && usage !== null)
    const prompt = total - parts.reply
    const repeated = hasReply ? prompt - parts.message - Math.round(own.files * calibration.ratio) : 0
    const costs = models.map((one) => toAtto(neighbours.leastCost(one, { fresh: prompt - repeated, repeated })))
    const known = costs.filter((cost) => cost !== null)
    return {
      parts,
      total,
      length,
      model,
      counted: calibration.counted,
      isAdjusted: calibration.ratio !== 1,
      leftOut: history.path.filter(({ leftOut, role }) => leftOut && role !== 'tool').length,
      oldest: oldestThatMayGo(history.path, scaledMessages(history.messages, calibration.ratio), {
        total,
        limit: length.tokens,
      }),
      spent: history.spent,
      leastCost:
        models.length > 0 && known.length === models.length
          ? fromAtto(known.reduce((sum, cost) => sum + cost, 0n))
          : null,
      summary: this.#summaries.on(history.path),
    }
  }

  /** Divides the earlier messages at the last reply whose request the service has counted, and compares that request with the next one. */
  async #split(history: CountedHistory, setup: ChatSetup, model: string | null) {
    const { path, messages } = history
    const at = lastCounted(path, model)
    const reply = path[at]
    if (!reply) return { before: noParts, after: sumOf(messages), calibration: uncalibrated }
    const above = new Set(path.slice(0, at).map(({ id }) => id))
    const isAbove = ({ source }: CountedMessage): boolean => source !== null && above.has(source)
    const sum = sumOf(messages.filter(isAbove))
    const before: ContextParts = {
      instructions: await this.#instructions(setup, hasPassages(path.slice(0, at))),
      tools: await this.#tools(setup),
      files: sum.files,
      history: sum.text,
      message: 0,
      reply: 0,
    }
    const sent = this.#feature.store.countedPrompts.find(reply.id)
    const now = sent && (await this.#promptAbove(history, setup, at))
    const calibration = now
      ? calibrate(reply.usage?.promptTokens ?? 0, sent, {
          ...now,
          tokens: totalOf(before),
          hasImages: messages.some((one) => isAbove(one) && imagesOf(one.message) > 0),
        })
      : uncalibrated
    return { before, after: sumOf(messages.filter((one) => !isAbove(one))), calibration }
  }

  /** The part of the next request that ends above the message `at`. Computed again only when it may have changed. */
  async #promptAbove(history: CountedHistory, setup: ChatSetup, at: number): Promise<PromptMark> {
    const { neighbours } = this.#feature
    const { tools } = neighbours.toolsOf(setup.tools)
    const { response_format } = membersOf(setup.params)
    const key = JSON.stringify([at, setup.instructions, setup.instructionsRole, tools, response_format])
    if (history.mark?.key === key) return history.mark.mark
    const sent = await historyOf(setup, history.path.slice(0, at), anyImage, neighbours.documentText)
    const mark = promptMark({ messages: sent.map(({ message }) => message), tools, response_format })
    history.mark = { key, mark }
    return mark
  }

  #history(conversationId: string): Promise<CountedHistory> {
    const known = this.#histories.get(conversationId)
    if (known) return known
    const counted = this.#count(conversationId)
    this.#histories.set(conversationId, counted)
    counted.catch(() => this.#histories.get(conversationId) === counted && this.#histories.delete(conversationId))
    const [oldest] = this.#histories.keys()
    if (this.#histories.size > countedConversations && oldest !== undefined) this.#histories.delete(oldest)
    return counted
  }

  async #count(conversationId: string): Promise<CountedHistory> {
    const { store, neighbours } = this.#feature
    const { leafId } = store.conversations.get(conversationId)
    const path = store.messages.path(leafId)
    const spent = spentOn(store.messages.costs(conversationId))
    const sent = await historyOf(noInstructions, path, anyImage, neighbours.documentText)
    const messages: CountedMessage[] = []
    const share = countedShare(sent)
    // Without instructions, which `measure` counts.
    for (const one of sent) if (one.source !== null) messages.push({ ...one, tokens: await countMessage(one, share) })
    return { path, messages, spent, mark: null }
  }

  async #next({ text, images, documents, passages = [] }: ContextInputs['measure']): Promise<CountedTokens> {
    const { neighbours } = this.#feature
    const attachments = Array.from({ length: images }, () => ({ mediaId: '', detail: null }))
    const message: TurnContent = {
      role: 'user',
      name: null,
      text,
      attachments,
      documents: neighbours.attachDocuments(documents),
      passages: numberPassages(passages.length === 0 ? [] : neighbours.attachPassages(passages), []),
    }
    const sent = await turnOf(message, null, anyImage, neighbours.documentText)
    const counted = await Promise.all(sent.map((one) => countMessage(one)))
    return counted[0] ?? { files: 0, text: 0 }
  }

  async #instructions(setup: ChatSetup, mustCite: boolean): Promise<number> {
    const [sent] = instructionsOf(setup, mustCite)
    return sent ? (await countMessage(sent)).text : 0
  }

  async #tools(setup: ChatSetup): Promise<number> {
    const { tools } = this.#feature.neighbours.toolsOf(setup.tools)
    const format = membersOf(setup.params).response_format
    let tokens = 0
    for (const member of [tools, format]) if (member !== undefined) tokens += await countText(JSON.stringify(member))
    return tokens
  }

  /** The smallest known length, because the message goes to all models. */
  #length(models: readonly string[]): { length: ContextLength; model: string | null } {
    const known = models.flatMap((model) => {
      const length = this.#feature.neighbours.contextOf(model)
      return length ? [{ length, model }] : []
    })
    const [smallest] = known.sort((one, other) => one.length.tokens - other.length.tokens)
    return smallest ?? { length: { from: 'unknown', tokens: null }, model: models[0] ?? null }
  }
}

const noInstructions = { instructions: '', instructionsRole: 'system' as const }
const nothing: CountedHistory = { path: [], messages: [], spent: null, mark: null }
const noParts: ContextParts = { instructions: 0, files: 0, history: 0, message: 0, tools: 0, reply: 0 }

/** Images count at a flat rate, so they need not be read. */
const anyImage = (): Promise<string> => Promise.resolve('')

function replyBudget({ maxTokens, extra = {} }: ChatParams): number {
  const given = maxTokens ?? extra.max_completion_tokens
  return typeof given === 'number' && Number.isSafeInteger(given) && given > 0 ? given : 0
}

const scaledMessages = (messages: readonly CountedMessage[], ratio: number): readonly CountedMessage[] =>
  ratio === 1
    ? messages
    : messages.map((one) => {
        const { files, text } = one.tokens
        return { ...one, tokens: { files: Math.round(files * ratio), text: Math.round(text * ratio) } }
      })

export function sumOf(messages: readonly { tokens: CountedTokens }[]): CountedTokens {
  const sum = { files: 0, text: 0 }
  for (const { tokens } of messages) {
    sum.files += tokens.files
    sum.text += tokens.text
  }
  return sum
}

/** The sum of the known costs. Null when none is known. */
function spentOn(costs: readonly Pick<Message, 'cost' | 'costIs'>[]): ContextMeasure['spent'] {
  const known = costs.map(({ cost }) => toAtto(cost)).filter((cost) => cost !== null)
  const unpriced = costs.length - known.length
  const sum = known.reduce((all, cost) => all + cost, 0n)
  // “At least 0” would say nothing.
  if (known.length === 0 || (unpriced > 0 && sum === 0n)) return null
  return { amount: fromAtto(sum), estimated: costs.some(({ costIs }) => costIs !== 'measured'), unpriced }
}
