import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { id, instant, problemOrNull, procedure } from './problem.ts'

/** `tools[].function.name`. */
export const functionName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

/** A function defined by a person. Nothing runs it; the person enters its results. */
export const functionTool = z.object({
  id,
  name: functionName,
  description: z.string().max(10_000),
  /** JSON text of the parameter schema, stored as typed. */
  schema: z.string().max(200_000),
  /** Sent unchanged. Works only when model and backend support it (specification, Tool). */
  strict: z.boolean(),
  updatedAt: instant,
})
export type FunctionTool = z.infer<typeof functionTool>

/** A tool of an MCP server. Its texts are untrusted. */
export const mcpTool = z.object({
  name: z.string(),
  /** The name sent to the model: unique among all tools, in the form that the service accepts. */
  sentName: functionName,
  title: z.string().nullable(),
  description: z.string(),
  /** JSON text. */
  schema: z.string(),
  /** Why the tool can't be offered to models, such as an unusable schema; null when it can. */
  fault: z.string().nullable(),
  /** Hints of the server about the tool, not guarantees. */
  readOnly: z.boolean().nullable(),
  destructive: z.boolean().nullable(),
})
export type McpTool = z.infer<typeof mcpTool>

export const mcpTransport = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('stdio'),
    command: z.string().min(1).max(4096),
    args: z.array(z.string().max(32_768)).max(200),
    /** Values are secrets: they are stored in the keychain if there is one, and only their names are returned. */
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
    /** Names of headers with values in the keychain, such as Authorization. */
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

/** Sign-in of an MCP server with OAuth. Contains no token, code or client secret. */
export const mcpSignIn = z.object({
  /**
   * `needed`: the server refused the request without a valid token. `more`: a call was refused, because the token lacks permissions.
   * `preparing`: reading the metadata of the authorization server. `waiting`: for the person in the browser. `finishing`: exchanging the
   * code for tokens. `done`: signed in.
   */
  step: z.enum(['needed', 'more', 'preparing', 'waiting', 'finishing', 'done']),
  /** Host of the authorization server, or null while it is unknown. */
  host: z.string().nullable(),
  /** Address to open in the browser. Null unless `waiting`. */
  url: z.url({ protocol: /^https?$/ }).nullable(),
  /** Permissions (OAuth scopes) that the server asked for: untrusted. */
  scopes: z.array(z.string()),
  /** Why the last sign-in failed, or null. */
  problem: problemOrNull,
  /** Whether the person must enter a client ID, because the authorization server registers no programs by itself. */
  needsClient: z.boolean(),
  /** Where the tokens are: until the program ends, if there is no keychain. Null: there are none. */
  storedIn: z.enum(['keychain', 'session']).nullable(),
})
export type McpSignIn = z.infer<typeof mcpSignIn>

/** Redirect address to register for a client ID that a person enters. The port differs for each sign-in (RFC 8252, section 7.3). */
export const signInRedirect = 'http://127.0.0.1/oauth/callback'

export const mcpServer = z.object({
  id,
  name: z.string().min(1).max(60),
  transport: mcpTransport,
  /** Whether a person switched the server on. The setting survives restarts. */
  on: z.boolean(),
  /** `off`; `starting`; `ready`; `failed`: see `problem`; `sign_in`: see `signIn`. */
  state: z.enum(['off', 'starting', 'ready', 'failed', 'sign_in']),
  problem: problemOrNull,
  /** Null for a server that has never asked for a sign-in. */
  signIn: mcpSignIn.nullable(),
  /** Whether secret values of this server are lost when the program ends, because there is no keychain. */
  forgetsSecrets: z.boolean(),
  /** Name and version reported by the server. */
  about: z.string().nullable(),
  /** Usage instructions of the server: untrusted text for the person. Not sent to models. */
  instructions: z.string().nullable().optional(),
  tools: z.array(mcpTool),
  /** Last lines of standard error of a stdio server. */
  log: z.array(z.string()),
  timeoutSeconds: z.number().int().min(1).max(3600),
})
export type McpServer = z.infer<typeof mcpServer>

export const toolsState = z.object({
  functions: z.array(functionTool),
  servers: z.array(mcpServer),
  /** Tools that a person always allows, by id. */
  always: z.array(z.string()),
})
export type ToolsState = z.infer<typeof toolsState>

/** Values by name; null keeps the stored value. */
const secrets = z.record(z.string(), z.string().max(100_000).nullable())

/** A person's decision on a call: the scope of an approval, or a refusal. */
const callDecision = z.enum(['once', 'conversation', 'always', 'no'])
export type CallDecision = z.infer<typeof callDecision>

export const toolsProcedures = {
  watch: procedure.output(eventIterator(toolsState)),
  /** @throws `bad_input` for an invalid schema or a name in use */
  saveFunction: procedure
    .input(functionTool.omit({ id: true, updatedAt: true }).extend({ id: id.optional() }))
    .output(functionTool),
  removeFunction: procedure.input(z.object({ id })).output(z.object({})),
  /** A change restarts a running server. */
  saveServer: procedure
    .input(mcpServer.pick({ name: true, transport: true, timeoutSeconds: true }).extend({ id: id.optional(), secrets }))
    .output(z.object({ id })),
  removeServer: procedure.input(z.object({ id })).output(z.object({})),
  /** Starts or stops the server. */
  switchServer: procedure.input(z.object({ id, on: z.boolean() })).output(z.object({})),
  /**
   * Starts the sign-in of a server that is on. Returns the address that the person opens in a browser; nothing is opened here. `client`:
   * registered by the person with the authorization server, stored in the keychain.
   */
  signIn: procedure
    .input(
      z.object({
        id,
        client: z.object({ id: z.string().min(1).max(2000), secret: z.string().max(10_000).nullable() }).optional(),
      }),
    )
    .output(z.object({ url: z.url({ protocol: /^https?$/ }) })),
  /** Continues with the address of the page that the browser could not load, for a browser on another computer. */
  continueSignIn: procedure.input(z.object({ id, address: z.string().max(16_000) })).output(z.object({})),
  cancelSignIn: procedure.input(z.object({ id })).output(z.object({})),
  /** Revokes and deletes the tokens, and disconnects. A client ID that the person entered stays. */
  signOut: procedure.input(z.object({ id })).output(z.object({})),
  /** Revokes the approval "always" of a tool. */
  revokeApproval: procedure.input(z.object({ toolId: z.string() })).output(z.object({})),
  /**
   * Decides on a waiting call (`messageId`: its message of role tool). `conversation` and `always` also apply to other
   * waiting and later calls of the tool. After a refusal, the model receives `why`.
   */
  decideCall: procedure
    .input(
      z.object({
        messageId: id,
        allow: callDecision,
        why: z.string().max(10_000).optional(),
      }),
    )
    .output(z.object({})),
  /** Enters the result of a call by hand. */
  enterResult: procedure
    .input(z.object({ messageId: id, text: z.string().max(1_000_000), isError: z.boolean().default(false) }))
    .output(z.object({})),
  stopCall: procedure.input(z.object({ messageId: id })).output(z.object({ stopped: z.boolean() })),
  /** Continues after the limit of rounds, with the results so far. */
  continueRounds: procedure.input(z.object({ messageId: id })).output(z.object({ replyId: id })),
}
