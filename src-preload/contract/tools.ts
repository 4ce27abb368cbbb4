import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { id, instant, problem, procedure } from './problem.ts'

/** `tools[].function.name`. */
export const functionName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

/** A tool that a person wrote: nothing runs it, the person gives its results. */
export const functionTool = z.object({
  id,
  name: functionName,
  description: z.string().max(10_000),
  /** JSON text of the parameters' schema, kept as typed. */
  schema: z.string().max(200_000),
  /** Sent as it is; honoured only where model and backend support it (specification, Tool). */
  strict: z.boolean(),
  updatedAt: instant,
})
export type FunctionTool = z.infer<typeof functionTool>

/** What a server of the Model Context Protocol offers. Its words are a stranger's. */
export const mcpTool = z.object({
  name: z.string(),
  /** The name that the model gets: unique among all tools, and of the form that the service takes. */
  sentName: functionName,
  title: z.string().nullable(),
  description: z.string(),
  /** JSON text. */
  schema: z.string(),
  /** Why it can't be offered: a schema that can't be used; null: it can. */
  fault: z.string().nullable(),
  /** The server's own hints, not promises. */
  readOnly: z.boolean().nullable(),
  destructive: z.boolean().nullable(),
})
export type McpTool = z.infer<typeof mcpTool>

export const mcpTransport = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('stdio'),
    command: z.string().min(1).max(4096),
    args: z.array(z.string().max(32_768)).max(200),
    /** Values are secrets: they lie in the keychain, and only their names are told. */
    env: z
      .array(
        z
          .string()
          .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
          .max(200),
      )
      .max(100),
    cwd: z.string().max(4096).nullable(),
  }),
  z.object({
    kind: z.literal('http'),
    url: z.url({ protocol: /^https?$/ }).max(4096),
    /** Names of headers whose values lie in the keychain, such as Authorization. */
    headers: z
      .array(
        z
          .string()
          .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/)
          .max(200),
      )
      .max(50),
  }),
])
export type McpTransport = z.infer<typeof mcpTransport>

export const mcpServer = z.object({
  id,
  name: z.string().min(1).max(60),
  transport: mcpTransport,
  /** Off until a person switches it on; it stays as it was left. */
  on: z.boolean(),
  /** `off`; `starting`; `ready`; `failed`: see `problem`. */
  state: z.enum(['off', 'starting', 'ready', 'failed']),
  problem: problem.nullable(),
  /** Name and version as the server tells them. */
  about: z.string().nullable(),
  /** What the server says of its use: a stranger's words, for the person to read. They are sent to no model. */
  instructions: z.string().nullable().optional(),
  tools: z.array(mcpTool),
  /** The last lines of a stdio server's standard error. */
  log: z.array(z.string()),
  timeoutSeconds: z.number().int().min(1).max(3600),
})
export type McpServer = z.infer<typeof mcpServer>

export const chatToolsState = z.object({
  functions: z.array(functionTool),
  servers: z.array(mcpServer),
  /** Tools that a person allowed always, by id. */
  always: z.array(z.string()),
})
export type ChatToolsState = z.infer<typeof chatToolsState>

/** Values by name; null keeps what is stored. */
const secrets = z.record(z.string(), z.string().max(100_000).nullable())

export const toolsProcedures = {
  watch: procedure.output(eventIterator(chatToolsState)),
  /** @throws `bad_input` where the schema is none, or the name is taken */
  saveFunction: procedure
    .input(functionTool.omit({ id: true, updatedAt: true }).extend({ id: id.optional() }))
    .output(functionTool),
  removeFunction: procedure.input(z.object({ id })).output(z.object({})),
  /** A change restarts a server that is on. */
  saveServer: procedure
    .input(mcpServer.pick({ name: true, transport: true, timeoutSeconds: true }).extend({ id: id.optional(), secrets }))
    .output(z.object({ id })),
  removeServer: procedure.input(z.object({ id })).output(z.object({})),
  /** Switches it on (its process starts, or its address is asked) or off. */
  switchServer: procedure.input(z.object({ id, on: z.boolean() })).output(z.object({})),
  /** Takes back an "always". */
  forget: procedure.input(z.object({ toolId: z.string() })).output(z.object({})),
  /**
   * The person's word on a call that waits (`messageId`: its message of role tool). `conversation` and `always` also decide calls of the same
   * tool that wait or come later. `why` is told to the model with a no.
   */
  decide: procedure
    .input(
      z.object({
        messageId: id,
        allow: z.enum(['once', 'conversation', 'always', 'no']),
        why: z.string().max(10_000).optional(),
      }),
    )
    .output(z.object({})),
  /** The result of a call by hand. */
  answer: procedure
    .input(z.object({ messageId: id, text: z.string().max(1_000_000), isError: z.boolean().default(false) }))
    .output(z.object({})),
  stopCall: procedure.input(z.object({ messageId: id })).output(z.object({ stopped: z.boolean() })),
  /** After the bound of rounds: asks the model on with the results that stand. */
  resume: procedure.input(z.object({ messageId: id })).output(z.object({ replyId: id })),
}
