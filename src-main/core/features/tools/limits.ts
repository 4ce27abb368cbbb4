/** Limits on what models and MCP servers may use. Lengths in UTF-16 units, sizes in bytes, times in ms. */
export const limits = {
  callsPerReply: 32,
  argumentsLength: 1_000_000,
  argumentsDepth: 100,
  schemaLength: 200_000,
  schemaDepth: 64,
  /** Time limit of one validation, excluding the start of the worker. Long enough for a busy machine. */
  checkMs: 5000,
  /** Time for checking the schemas of one listing of a server. The checks of other servers and of calls take turns with it. */
  listCheckMs: 20_000,
  faults: 20,
  faultLength: 300,
  resultBytes: 200_000,

  /** Largest message of a server. */
  messageBytes: 8_000_000,
  toolsPerServer: 500,
  pages: 50,
  toolNameLength: 128,
  descriptionLength: 10_000,
  instructionsLength: 20_000,
  logLines: 200,
  logLineLength: 500,
  /** Time until a server has introduced itself and listed its tools. The first run of `npx` downloads a package. */
  startMs: 60_000,
  /** How long to wait for an answer about the newest protocol version before treating the server as an older one. */
  probeMs: 5000,
  /** Delays before restarts after a crash. After the last one the server stays failed. */
  backOffMs: [1000, 4000, 15_000],
  /** A server that was ready this long starts again with the first delay. */
  calmMs: 60_000,
  /** Waits while ending a process: from closing its input to SIGTERM, from SIGTERM to SIGKILL, and after SIGKILL. */
  hangUpMs: 300,
  terminateMs: 2000,
  killMs: 1000,
  /** Time limit for ending the session of an HTTP server. */
  farewellMs: 1000,
  /** Largest reply of an authorization server, and time for one request to it. */
  oauthBytes: 200_000,
  oauthMs: 20_000,
  /** How long a person may take in the browser to sign in. */
  signInMs: 10 * 60_000,
  /** Time limit for revoking a token. */
  revokeMs: 3000,
  /** Shortest interval between two listings, however often a server reports a change. */
  relistMs: 500,
} as const
export type ToolLimits = {
  readonly [K in keyof typeof limits]: (typeof limits)[K] extends number ? number : readonly number[]
}
