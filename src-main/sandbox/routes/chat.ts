import { answer, joinSteps, type SandboxChoice, type Step } from '../chat/answer.ts'
import type { Brief } from '../chat/brief.ts'
import { Metronome, paceOf } from '../chat/pace.ts'
import { chatRequest, imagesOf, promptTokens, type SandboxChatRequest } from '../chat/request.ts'
import { loadTokenizer } from '../chat/tokens.ts'
import { ClientGone, ServiceError } from '../errors.ts'
import { settleEarly } from '../faults/early.ts'
import { FAULT_MODEL_NAMES } from '../faults/plan.ts'
import { admit, type Call } from '../http/call.ts'
import { EventStream } from '../http/events.ts'
import { readJson } from '../http/read.ts'
import { chatCost } from '../world/accounting.ts'
import { findModel, type SandboxModel } from '../world/models.ts'
import { seededHex } from '../world/seed.ts'

/** A request that was read, admitted and answered, ready to send. */
interface Prepared {
  request: SandboxChatRequest
  model: SandboxModel
  choices: SandboxChoice[]
  metronome: Metronome
  tokensIn: number
  tokensCached: number
  head: { id: string; created: number; model: string }
}

/** POST /v1/chat/completions */
export async function chat(call: Call): Promise<void> {
  const { world, record, reply } = call
  const request = await readJson(call.request, record, chatRequest)
  record.model = request.model
  const model = findModel(request.model, FAULT_MODEL_NAMES)
  if (model?.kind !== 'chat') {
    throw new ServiceError(404, 'model_not_found', `There is no chat model "${request.model}".`)
  }
  if (await orderedByBody(call, request)) return
  refuseUnsupported(request, model)
  const pace = paceOf(request, call.request.headers, world.paces[model.id] ?? model.tokensPerSecond)
  const tokenizer = await loadTokenizer()
  const perMessage = promptTokens(request, tokenizer)
  const tokensIn = perMessage.total
  refuseTooLong(model, tokensIn, request.max_tokens ?? 0)
  admit(call, model, tokensIn)
  const tokensCached = Math.min(
    tokensIn,
    world.prefixes.use(`${call.key.account.id} ${model.id}`, request.messages, perMessage.each),
  )
  const seed = JSON.stringify([
    world.seed,
    model.id,
    request.messages,
    request.seed ?? null,
    request.sandbox?.seed ?? null,
  ])
  const brief: Brief = { request, model, pace, tokenizer, seed, bodyBytes: record.bytesIn }
  const choices: SandboxChoice[] = []
  for (let index = 0; index < (request.n ?? 1); index += 1) {
    choices.push(await answer(index === 0 ? brief : { ...brief, seed: `${seed} ${index}` }))
  }
  addFaultySteps(call, choices)
  const head = {
    id: `chatcmpl-${seededHex(24, seed, record.id)}`,
    created: Math.floor(world.now() / 1000),
    model: model.id,
  }
  const metronome = new Metronome(pace, reply.closed)
  const prepared: Prepared = { request, model, choices, metronome, tokensIn, tokensCached, head }
  await (request.stream ? streamed(call, prepared) : whole(call, prepared))
}

/** Applies faults from the body (`sandbox.fault`) or the model name. True if they finished the request. */
async function orderedByBody(call: Call, request: SandboxChatRequest): Promise<boolean> {
  const { reply, world } = call
  reply.faults.orderByModel(request.model)
  if (request.sandbox?.fault !== undefined) reply.faults.order(request.sandbox.fault)
  else if (!request.model.startsWith('fault/')) return false
  return await settleEarly(reply.faults, reply, world.failCounts, seededHex(16, JSON.stringify(request.messages)))
}

/** Throws 400 for parameters that the model does not support (section "What the service does"). */
function refuseUnsupported(request: SandboxChatRequest, model: SandboxModel): void {
  const refuse = (what: string) => {
    throw new ServiceError(400, 'unsupported_parameter', `The model ${model.id} does not support ${what}.`)
  }
  if (!model.vision && request.messages.some((message) => imagesOf(message.content).length > 0)) refuse('images')
  if (!model.tools && request.tools !== undefined && request.tools.length > 0) refuse('tools')
  if (!model.severalChoices && (request.n ?? 1) > 1) refuse('more than one choice (n)')
}

/** Throws 400 in the usual words of such services, as the specification leaves them open. */
function refuseTooLong({ context }: SandboxModel, tokensIn: number, reply: number): void {
  if (context === null || tokensIn + reply <= context) return
  const sum = `${tokensIn} in the messages${reply > 0 ? `, ${reply} in the completion` : ''}`
  const requested = `However, you requested ${tokensIn + reply} tokens (${sum}).`
  const words = `This model's maximum context length is ${context} tokens. ${requested} Please reduce the length of the messages.`
  throw new ServiceError(400, 'context_length_exceeded', words)
}

/** Adds text that `split-utf8`, `cut-utf8` and `huge-line` need. */
function addFaultySteps(call: Call, choices: SandboxChoice[]): void {
  const { faults } = call.reply
  const steps = choices[0]?.steps
  if (!steps) return
  if (faults.has('huge-line')) {
    const bytes = faults.number('huge-line', 'bytes') ?? 5_000_000
    steps.splice(1, 0, {
      delta: { content: 'All of this is one line. '.repeat(Math.ceil(bytes / 25)).slice(0, bytes) },
      tokens: 0,
    })
  }
  if (faults.has('split-utf8') || faults.has('cut-utf8')) {
    steps.splice(1, 0, { delta: { content: ' naïve café, Grüße, 你好, 🌍🏡 ' }, tokens: 0 })
  }
}

async function whole(call: Call, prepared: Prepared): Promise<void> {
  const { choices, metronome, head, tokensIn, tokensCached } = prepared
  const tokensOut = choices.reduce((sum, choice) => sum + choice.tokens, 0)
  await metronome.waitFor(Math.max(0, ...choices.map((choice) => choice.tokens)))
  if (call.reply.closed.aborted) throw new ClientGone()
  charge(call, prepared, tokensOut)
  const noFinish = call.reply.faults.has('no-done-no-finish')
  await call.reply.json(200, {
    ...head,
    object: 'chat.completion',
    choices: choices.map((choice, index) => ({
      index,
      message: joinSteps(choice.steps),
      finish_reason: noFinish ? null : choice.finish,
    })),
    usage: usage(tokensIn, tokensOut, tokensCached),
  })
}

async function streamed(call: Call, prepared: Prepared): Promise<void> {
  const { reply, record } = call
  const { request, choices, metronome, head, tokensIn, tokensCached } = prepared
  record.stream = true
  const body = reply.open(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache' })
  const events = new EventStream(body, reply.faults)
  const chunk = (rest: Record<string, unknown>) => ({ ...head, object: 'chat.completion.chunk', ...rest })
  const one = (index: number, delta: Step['delta'], finish: string | null = null) =>
    events.send(chunk({ choices: [{ index, delta, finish_reason: finish }] }))
  let sent = 0
  let charged = false
  try {
    for (const index of choices.keys()) await one(index, { role: 'assistant', content: '' })
    for (const { index, step, paced } of interleaved(choices)) {
      await metronome.waitFor(paced)
      // Counted before the write, because the client may receive the step even if `one` throws.
      sent += step.tokens
      await one(index, step.delta)
    }
    charge(call, prepared, sent)
    charged = true
    const unfinished = reply.faults.has('no-done-no-finish')
    if (!unfinished) for (const [index, choice] of choices.entries()) await one(index, {}, choice.finish)
    if (request.stream_options?.include_usage) {
      await events.send(chunk({ choices: [], usage: usage(tokensIn, sent, tokensCached) }))
    }
    await events.done()
  } finally {
    // Section "Chat completions", 2 and 3: a reply without output is free. Sent output is estimated and billed.
    if (!charged && sent > 0) charge(call, prepared, sent)
  }
}

/** The steps of all choices in turn, as a model with several choices sends them. `paced` counts the tokens of the longest choice so far. */
function* interleaved(choices: SandboxChoice[]): Generator<{ index: number; step: Step; paced: number }> {
  const longest = Math.max(0, ...choices.map((choice) => choice.steps.length))
  let paced = 0
  for (let at = 0; at < longest; at += 1) {
    for (const [index, choice] of choices.entries()) {
      const step = choice.steps[at]
      if (step) yield { index, step, paced }
    }
    paced += choices.reduce((most, choice) => Math.max(most, choice.steps[at]?.tokens ?? 0), 0)
  }
}

const usage = (tokensIn: number, tokensOut: number, tokensCached: number) => ({
  prompt_tokens: tokensIn,
  completion_tokens: tokensOut,
  total_tokens: tokensIn + tokensOut,
  prompt_tokens_details: { cached_tokens: tokensCached },
})

function charge(call: Call, { model, tokensIn, tokensCached }: Prepared, tokensOut: number): void {
  const { world, key } = call
  const cost = chatCost(model, tokensIn, tokensCached, tokensOut)
  world.accounting.charge(key, { model: model.id, tokensIn, tokensOut, tokensCached, cost })
  world.limits.addTokens(key, tokensIn + tokensOut, model.free)
}
