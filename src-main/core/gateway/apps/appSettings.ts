import type { App, AppSettings } from '../../../../src-preload/contract/apps.ts'
import { colour, endpoint } from '../../../../src-preload/contract/requests.ts'
import { StudioError } from '../../errors.ts'
import { instantOf } from '../../shared/days.ts'
import { fromNano, toNano } from '../../shared/money.ts'

/** Some of the settings; what is undefined stays as it is. */
export type AppChanges = { [K in keyof AppSettings]?: AppSettings[K] | undefined }
export type NewApp = AppChanges & { name: string }
/** The same before it was looked at: a colour and endpoints may be any text. */
export type UncheckedChanges = Omit<AppChanges, 'colour' | 'endpoints'> & {
  colour?: string | undefined
  endpoints?: readonly string[] | null | undefined
}

/** What holds for a key of which nothing else was said: no limits, no copies of bodies, retries, and waiting in turn. */
export const defaultAppSettings: Omit<AppSettings, 'name' | 'colour'> = {
  expiresAt: null,
  models: null,
  endpoints: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrent: null,
  budgetDay: null,
  budgetMonth: null,
  budgetTotal: null,
  logBodies: false,
  retries: true,
  failFast: false,
}

/** A key without limits that was never used, for whoever needs one whole. */
export const plainApp = (given: Partial<App> & Pick<App, 'id' | 'name'>): App => ({
  colour: 'blue',
  ...defaultAppSettings,
  createdAt: '2026-01-01T00:00:00.000Z',
  lastUsedAt: null,
  pausedAt: null,
  revokedAt: null,
  ...given,
})

const mostModels = 500

function bad(message: string): never {
  throw new StudioError('bad_input', message)
}

function checkedName(given: string): string {
  const name = given.trim()
  if (name === '' || name.length > 80) bad('Give the tool a name of at most 80 characters.')
  if (/\p{Cc}/u.test(name)) bad('The name of a tool is one line of text.')
  return name
}

function checkedColour(given: string): AppSettings['colour'] {
  const { data } = colour.safeParse(given)
  return data ?? bad(`There is no colour ${given}. The colours are ${colour.options.join(', ')}.`)
}

/** The year 10000, which ISO 8601 writes in another form. */
const latestInstant = Date.UTC(10_000, 0)

/** An instant as `toISOString` writes it. Without an offset it would mean another moment on each machine. */
function checkedInstant(given: string): string {
  const whole = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.test(given)
  // `Date` would take the 30th of February for the 2nd of March.
  const at = whole ? instantOf(given) : null
  if (at === null || at >= latestInstant) bad('An expiry is an instant such as 2026-12-31T18:00:00Z.')
  return new Date(at).toISOString()
}

function checkedModels(given: readonly string[]): string[] {
  const models = [...new Set(given.map((model) => model.trim()))]
  if (models.length === 0) bad('Name at least one model, or allow all of them.')
  if (models.length > mostModels) bad(`At most ${mostModels} models can be named.`)
  for (const model of models)
    if (model === '' || model.length > 300 || /\p{Cc}/u.test(model))
      bad('The id of a model is one line of at most 300 characters.')
  return models
}

function checkedEndpoints(given: readonly string[]): NonNullable<AppSettings['endpoints']> {
  const endpoints = [...new Set(given)].map(
    (name) =>
      endpoint.safeParse(name).data ??
      bad(`There is no endpoint ${name}. The endpoints are ${endpoint.options.join(', ')}.`),
  )
  if (endpoints.length === 0) bad('Name at least one endpoint, or allow all of them.')
  return endpoints
}

function checkedMost(given: number, what: string): number {
  if (!Number.isInteger(given) || given < 1 || given > 1_000_000_000)
    bad(`The limit of ${what} is a whole number from 1 to 1,000,000,000.`)
  return given
}

function checkedBudget(given: string): string {
  const amount = toNano(given)
  if (amount < 0n) bad('A budget is not below zero.')
  return fromNano(amount)
}

/** Null, no limit, needs no check; undefined, not given, is left out. */
const unless = <T extends string | number | readonly string[], R>(
  given: T | null | undefined,
  check: (given: T) => R,
): R | null | undefined => (given === null || given === undefined ? given : check(given))

/**
 * What was given, in its one form: trimmed, without doubles, instants in UTC, amounts without needless zeros. Nothing is added.
 * @throws StudioError `bad_input` in words, at the first that can't be
 */
export function checkedChanges(given: UncheckedChanges): AppChanges {
  const { name, colour: wanted, logBodies, retries, failFast } = given
  return {
    name: name === undefined ? undefined : checkedName(name),
    colour: wanted === undefined ? undefined : checkedColour(wanted),
    expiresAt: unless(given.expiresAt, checkedInstant),
    models: unless(given.models, checkedModels),
    endpoints: unless(given.endpoints, checkedEndpoints),
    requestsPerMinute: unless(given.requestsPerMinute, (most) => checkedMost(most, 'requests a minute')),
    tokensPerMinute: unless(given.tokensPerMinute, (most) => checkedMost(most, 'tokens a minute')),
    concurrent: unless(given.concurrent, (most) => checkedMost(most, 'requests at once')),
    budgetDay: unless(given.budgetDay, checkedBudget),
    budgetMonth: unless(given.budgetMonth, checkedBudget),
    budgetTotal: unless(given.budgetTotal, checkedBudget),
    logBodies,
    retries,
    failFast,
  }
}

/** The settings after these changes: undefined changes nothing. */
export function changedSettings(before: AppSettings, changes: AppChanges): AppSettings {
  const kept = <T>(value: T | undefined, old: T): T => (value === undefined ? old : value)
  return {
    name: kept(changes.name, before.name),
    colour: kept(changes.colour, before.colour),
    expiresAt: kept(changes.expiresAt, before.expiresAt),
    models: kept(changes.models, before.models),
    endpoints: kept(changes.endpoints, before.endpoints),
    requestsPerMinute: kept(changes.requestsPerMinute, before.requestsPerMinute),
    tokensPerMinute: kept(changes.tokensPerMinute, before.tokensPerMinute),
    concurrent: kept(changes.concurrent, before.concurrent),
    budgetDay: kept(changes.budgetDay, before.budgetDay),
    budgetMonth: kept(changes.budgetMonth, before.budgetMonth),
    budgetTotal: kept(changes.budgetTotal, before.budgetTotal),
    logBodies: kept(changes.logBodies, before.logBodies),
    retries: kept(changes.retries, before.retries),
    failFast: kept(changes.failFast, before.failFast),
  }
}

/** The colour that the fewest of the keys in use have; of several, the first of the palette. */
export function leastUsedColour(tools: readonly App[]): AppSettings['colour'] {
  const inUse = tools.filter(({ revokedAt }) => revokedAt === null)
  const uses = (name: string): number => inUse.filter((tool) => tool.colour === name).length
  return colour.options.reduce((least, next) => (uses(next) < uses(least) ? next : least))
}
