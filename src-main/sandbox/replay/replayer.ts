import { createHash } from 'node:crypto'
import { ServiceError } from '../errors.ts'
import { FixtureError, type RecordedExchange, readFixture } from './fixture.ts'

export interface ReplayOptions {
  /** The text of a fixture. */
  fixture: string
  /** `recorded`: each piece of a reply is sent when it was. `immediate`: all at once. */
  timing: 'recorded' | 'immediate'
  /** Whether a request that equals none of the fixture is refused, instead of getting the next reply in order. */
  isExact?: boolean
}

/** Members of a request that do not change the reply: they name the caller, or what is sent beside the reply. */
const withoutEffect: ReadonlySet<string> = new Set([
  'metadata',
  'prompt_cache_key',
  'safety_identifier',
  'sandbox',
  'store',
  'stream_options',
  'user',
])

interface Recorded {
  path: string
  streams: boolean
  /** The members of the body in canonical JSON, by name. */
  members: ReadonlyMap<string, string>
  reply: RecordedExchange['reply']
  isUsed: boolean
}

/**
 * Answers requests with the replies of a fixture. A request that equals recorded ones gets their replies in order, and then the last again. Another
 * request gets the next unused reply of its path, streamed or not as it asks. What matches nothing is 404 with the closest recorded request.
 */
export class Replayer {
  readonly #all: Recorded[]
  readonly #byRequest: ReadonlyMap<string, readonly Recorded[]>
  readonly timing: ReplayOptions['timing']
  readonly #isExact: boolean
  /** The models that recorded requests name. */
  readonly models: readonly string[]

  /** @throws FixtureError */
  constructor({ fixture, timing, isExact = false }: ReplayOptions) {
    this.timing = timing
    this.#isExact = isExact
    const exchanges = readFixture(fixture)
    try {
      this.#all = exchanges.map(({ request, reply }) => ({
        path: request.path,
        streams: isStreamed(request.body),
        members: membersOf(request.body),
        reply,
        isUsed: false,
      }))
    } catch (thrown) {
      if (thrown instanceof RangeError) throw new FixtureError('The file is nested too deeply.')
      throw thrown
    }
    this.#byRequest = Map.groupBy(this.#all, ({ path, members }) => keyOf(path, members))
    const models = exchanges.map(({ request }) => modelOf(request.body))
    this.models = [...new Set(models)].filter((model) => model !== null).sort()
  }

  /** The reply to a request, and how it was found. @throws ServiceError 404 `replay_no_match` */
  take(path: string, body: unknown): { reply: RecordedExchange['reply']; how: 'exact' | 'order' } {
    const members = membersOf(body)
    const streams = isStreamed(body)
    const equal = this.#byRequest.get(keyOf(path, members)) ?? []
    const exact = equal.find(({ isUsed }) => !isUsed) ?? equal.at(-1)
    const next = this.#isExact
      ? undefined
      : this.#all.find((one) => !one.isUsed && one.path === path && one.streams === streams)
    const found = exact ?? next
    if (!found) throw new ServiceError(404, 'replay_no_match', this.#explain(path, members, streams))
    found.isUsed = true
    return { reply: found.reply, how: exact ? 'exact' : 'order' }
  }

  #explain(path: string, members: ReadonlyMap<string, string>, streams: boolean): string {
    const same = this.#all.filter((one) => one.path === path)
    if (same.length === 0) return `The fixture has no request to ${path}.`
    const words = `No recorded request to ${path} matches this one${streams ? ', which is streamed' : ''}.`
    const used = `${same.filter(({ isUsed }) => isUsed).length} of its ${same.length} replies were used.`
    const differences = same.map((one) => differing(one.members, members))
    const least = differences.reduce((best, one) => (one.length < best.length ? one : best))
    return `${words} ${used} The closest recorded request differs in: ${least.join(', ')}.`
  }
}

/** Names of the members that only one of two requests has, or with another value. */
function differing(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] {
  const names = new Set([...one.keys(), ...other.keys()])
  return [...names].filter((name) => one.get(name) !== other.get(name)).sort()
}

const keyOf = (path: string, members: ReadonlyMap<string, string>): string => {
  const hash = createHash('sha256').update(path)
  for (const [name, value] of members) hash.update(`\n${name}\n${value}`)
  return hash.digest('base64')
}

function membersOf(body: unknown): ReadonlyMap<string, string> {
  if (!isObject(body)) return new Map([['', canonical(body)]])
  const kept = Object.keys(body).filter((name) => !withoutEffect.has(name) && isSet(name, body[name]))
  return new Map(kept.sort().map((name) => [name, canonical(body[name])]))
}

/** `stream: false` and null are the same as nothing. */
const isSet = (name: string, value: unknown): boolean => value !== null && !(name === 'stream' && value === false)

/** JSON with the members of every object in one order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value).sort()
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const modelOf = (body: unknown): string | null => (isObject(body) && typeof body.model === 'string' ? body.model : null)

const isStreamed = (body: unknown): boolean => isObject(body) && body.stream === true
