/** What strangers (models and servers) may take of this program. Lengths are UTF-16 units, sizes bytes, times ms. */
export const limits = {
  callsPerReply: 32,
  argumentsLength: 1_000_000,
  argumentsDepth: 100,
  schemaLength: 200_000,
  schemaDepth: 64,
  /** Of one check of arguments or of a schema, once its thread stands: long for a machine that is busy with something else. */
  checkMs: 5000,
  faults: 20,
  faultLength: 300,
  resultBytes: 200_000,

  /** One message of a server, from its first byte to its last. */
  messageBytes: 8_000_000,
  toolsPerServer: 500,
  pages: 50,
  toolNameLength: 128,
  descriptionLength: 10_000,
  instructionsLength: 20_000,
  logLines: 200,
  logLineLength: 500,
  /** Until a server has said who it is and what it offers: the first run of `npx` loads a package from afar. */
  startMs: 60_000,
  /** How long a server is given to answer the question whether it knows the newest protocol, before it is taken for an older one. */
  probeMs: 5000,
  /** After a crash; after the last of them it stays failed. */
  backOffMs: [1000, 4000, 15_000],
  /** Ready for so long: the next crash is a first one again. */
  calmMs: 60_000,
  /** An ended process: from closing its input to SIGTERM, from there to SIGKILL, and how long that is then waited for. */
  hangUpMs: 300,
  terminateMs: 2000,
  killMs: 1000,
  /** For the farewell to a server over HTTP. */
  farewellMs: 1000,
  /** At most one new listing of tools in so long, however often a server says that it changed. */
  relistMs: 500,
} as const
export type ToolLimits = {
  readonly [K in keyof typeof limits]: (typeof limits)[K] extends number ? number : readonly number[]
}
