import type { InferContractRouterInputs } from '@orpc/contract'
import * as z from 'zod'
import { chatSetup } from './chat.ts'
import { documentToSend, maxDocuments } from './documents.ts'
import { id, procedure, requestId, whole } from './problem.ts'
import { maxPassages, maxPinnedFiles, passageToSend } from './projects.ts'
import { certainty, sc } from './requests.ts'

/** Estimated tokens of the next request, by part. */
export const contextParts = z.object({
  /** The instructions of the chat. */
  instructions: whole,
  /** Documents and images of all messages that are sent, the next one included. */
  files: whole,
  /** Earlier messages without their files. */
  history: whole,
  /** The text of the next message. */
  message: whole,
  /** Definitions of the tools, and the schema of the response format. */
  tools: whole,
  /** Reserved for the reply: the parameter `max_tokens`. 0: not set. */
  reply: whole,
})
export type ContextParts = z.infer<typeof contextParts>

/** The context length of a model, in tokens, and its source. The specification gives none. */
export const contextLength = z.discriminatedUnion('from', [
  z.object({ from: z.enum(['person', 'service']), tokens: whole }),
  z.object({ from: z.literal('unknown'), tokens: z.null() }),
])
export type ContextLength = z.infer<typeof contextLength>

export const contextMeasure = z.object({
  parts: contextParts,
  /** The sum of all parts. */
  total: whole,
  /**
   * Tokens of these that the service has counted, with the last request of the chat to `model`. Everything else is estimated. Null: the
   * service has counted nothing of it, or something has changed since.
   */
  counted: whole.nullable(),
  /** Whether the estimate is corrected by what the service has counted for this chat. */
  isAdjusted: z.boolean(),
  /** Of the model with the smallest known context, if several models reply. */
  length: contextLength,
  /** The model that `length` belongs to. */
  model: z.string().nullable(),
  /** Messages of this branch that are not sent. */
  leftOut: whole,
  /**
   * The oldest messages that can be left out or summarised so that the rest has space: all sent messages up to `upTo`.
   * Null when there are none before the last message of the person.
   */
  oldest: z.object({ upTo: id, messages: whole, tokens: whole }).nullable(),
  /** The cost of all requests of this chat, on every branch. `unpriced` is the number of requests of unknown cost. Null: nothing is known. */
  spent: z.object({ amount: sc, estimated: z.boolean(), unpriced: whole }).nullable(),
  /** The least that the next message costs, without its reply, SC. Null: unknown price. */
  leastCost: sc.nullable(),
  /**
   * The newest summary of messages of this branch that was asked for and not used or discarded. `interrupted`: the program ended before it
   * was written, and the service may have charged for it.
   */
  summary: z.object({ summaryId: id, upTo: id, state: z.enum(['running', 'written', 'interrupted']) }).nullable(),
})
export type ContextMeasure = z.infer<typeof contextMeasure>

const writtenSummary = z.object({
  summaryId: id,
  text: z.string(),
  /** More than one when the messages are longer than the context of the model. */
  requests: whole,
  cost: sc.nullable(),
  costIs: certainty,
})

const messageText = z.string().max(1_000_000)

export const contextProcedures = {
  /** Estimates what the next request contains and costs. Sends nothing. */
  measure: procedure
    .input(
      z.object({
        /** Null: a chat that does not exist yet. */
        conversationId: id.nullable(),
        setup: chatSetup,
        models: z.array(z.string().min(1)).max(4),
        text: messageText,
        images: z.number().int().min(0).max(100),
        // Those of the person, and the whole files of the project.
        documents: z.array(documentToSend).max(maxDocuments + maxPinnedFiles),
        passages: z.array(passageToSend).max(maxPassages).default([]),
      }),
    )
    .output(contextMeasure),
  /** Leaves a message out of requests, or includes it again. With `andEarlier`, all messages above it too. */
  leaveOut: procedure
    .input(z.object({ messageId: id, leftOut: z.boolean(), andEarlier: z.boolean().default(false) }))
    .output(z.object({ messages: whole })),
  /** What a summary of all messages up to `upTo` would send. Sends nothing. @throws `bad_input` when a message alone is too long */
  planSummary: procedure.input(z.object({ upTo: id, model: z.string().min(1) })).output(
    z.object({
      messages: whole,
      tokens: whole,
      /** More than one when the messages are longer than the context of the model. */
      requests: whole,
      /** Without the summary itself, SC. Null: unknown price. */
      leastCost: sc.nullable(),
    }),
  ),
  /**
   * Asks a model for a summary of all messages up to `upTo` that are sent. `requestId` becomes its id: a repeated call sends nothing.
   * The summary is written and stored even if the page is closed before it is ready.
   */
  summarise: procedure.input(z.object({ requestId, upTo: id, model: z.string().min(1) })).output(writtenSummary),
  /** A summary that was asked for earlier, when it is written. @throws `no_such_item` when it was used, discarded or interrupted */
  summary: procedure.input(z.object({ summaryId: id })).output(writtenSummary),
  /** Cancels a summary that is being written, or deletes a written or interrupted one. Does nothing when it does not exist. */
  discardSummary: procedure.input(z.object({ summaryId: id })).output(z.object({})),
  /**
   * Makes a branch that starts with a note instead of the messages up to `upTo`, and continues with the messages below it. `requestId`
   * becomes the id of the note, so that a repeated call makes one branch.
   */
  useSummary: procedure
    .input(z.object({ requestId, upTo: id, text: messageText.min(1), summaryId: id.nullable().default(null) }))
    .output(z.object({ noteId: id })),
}

/** What callers pass to each procedure: members with a default may be absent. */
export type ContextInputs = InferContractRouterInputs<typeof contextProcedures>
