import { z } from 'zod'

/** Why a file is no fixture, in words for a person. */
export class FixtureError extends Error {
  readonly code = 'bad_fixture'

  constructor(message: string) {
    super(message)
    this.name = 'FixtureError'
  }
}

const format = 'inference-studio.replay'
/** The newest version that this program reads. */
const version = 1

/** A piece of a reply and when it is sent, ms after the request has arrived. */
const piece = z.tuple([z.number().min(0).max(86_400_000), z.string()])

/** Printable ASCII, so that no value adds a header. */
const headerValue = z.string().regex(/^[\x20-\x7e]{0,1000}$/)

const exchange = z.object({
  request: z.object({
    method: z.literal('POST'),
    path: z.string().regex(/^\/v1\/[^\s?#]{1,1000}$/),
    body: z.unknown(),
  }),
  reply: z.object({
    status: z.number().int().min(200).max(599),
    headers: z.partialRecord(z.enum(['content-type', 'retry-after', 'x-should-retry']), headerValue),
    pieces: z.array(piece).max(10_000),
  }),
})
export type RecordedExchange = z.infer<typeof exchange>

const fixture = z.object({
  format: z.literal(format),
  version: z.number().int().min(1),
  exchanges: z.array(exchange).min(1).max(10_000),
})

/** Reads a fixture. Unknown members are ignored. @throws FixtureError that names what is wrong, and where */
export function readFixture(text: string): RecordedExchange[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new FixtureError('The file is not JSON.')
  }
  const head = z.object({ format: z.literal(format), version: z.number() }).safeParse(value)
  if (!head.success) throw new FixtureError(`The file is no replay fixture: its "format" is not "${format}".`)
  if (head.data.version > version) {
    throw new FixtureError(
      `The file has version ${head.data.version} of the format, and this program reads version ${version}. Update Inference Studio.`,
    )
  }
  const parsed = fixture.safeParse(value)
  if (parsed.success) return parsed.data.exchanges
  const issue = parsed.error.issues[0]
  throw new FixtureError(`The file is damaged at ${issue?.path.join('.') ?? 'its start'}: ${issue?.message ?? ''}`)
}
