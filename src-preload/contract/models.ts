import * as z from 'zod'
import { instant, procedure, whole } from './problem.ts'
import { sc } from './requests.ts'

/** A model of the service. Only `id` is required. */
export const model = z.object({
  id: z.string(),
  created: z.number().nullable(),
  ownedBy: z.string().nullable(),
})
export type Model = z.infer<typeof model>

/**
 * `works`: a reply used the ability. `refused`: the service refused it. Null: unknown, because the list of models lacks this information.
 */
const ability = z.enum(['works', 'refused']).nullable()

/** Facts about a model of the connection that are not in the service's list. */
export const modelFacts = z.object({
  id: z.string(),
  favourite: z.boolean(),
  /** Time of its last reply in a chat, or null. */
  repliedAt: instant.nullable(),
  /** Why chats do not offer the model; null when they do. */
  notForChat: z.enum(['speech', 'transcription', 'image', 'no_tokens']).nullable(),
  images: ability,
  tools: ability,
  /** Context length in tokens: set by the person, otherwise stated by an error of the service. Null: unknown. */
  context: z.object({ tokens: whole, from: z.enum(['person', 'service']) }).nullable(),
  /** SC per million tokens, estimated from the account's usage. Null: unknown, or not priced by tokens. */
  price: z.object({ in: sc, out: sc }).nullable(),
})
export type ModelFacts = z.infer<typeof modelFacts>

export const modelsProcedures = {
  /** Returns the last fetched list. Queries the service when there is none or `refresh` is set. */
  list: procedure
    .input(z.object({ refresh: z.boolean().default(false) }))
    .output(z.object({ models: z.array(model), asOf: instant })),
  /** Facts about the models of the connection in use. A model without facts is absent. Never queries the service. */
  facts: procedure.output(z.object({ facts: z.array(modelFacts) })),
  /** Sets the context length of a model of the connection in use. Null: uses what the service stated, if anything. */
  setContextLength: procedure
    .input(z.object({ model: z.string().min(1), tokens: z.number().int().min(128).max(1_000_000_000).nullable() }))
    .output(z.object({})),
  /** Marks a model of the connection in use as a favourite, or removes the mark. */
  setFavourite: procedure.input(z.object({ model: z.string().min(1), favourite: z.boolean() })).output(z.object({})),
}
