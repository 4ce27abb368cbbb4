import { homedir } from 'node:os'
import { isAbsolute, join, normalize, parse } from 'node:path'
import { type App, type AppSettings, maxFolderPath, maxToolInputs } from '../../../../src-preload/contract/apps.ts'
import { instantOf } from '../../../../src-preload/contract/limitText.ts'
import { colour, endpoint } from '../../../../src-preload/contract/requests.ts'
import { StudioError } from '../../errors.ts'
import { fromNano, toNano } from '../../shared/money.ts'
import { checkedModelMap } from './modelMap.ts'

/** Changes to an app's settings. A setting that is undefined does not change. */
export type AppChanges = { [K in keyof AppSettings]?: AppSettings[K] | undefined }
export type NewApp = AppChanges & { name: string }
/** Unchecked changes, in which the colour and the endpoints may be any text. */
export type UncheckedChanges = Omit<AppChanges, 'colour' | 'endpoints'> & {
  colour?: string | undefined
  endpoints?: readonly string[] | null | undefined
}

/** Settings of a new app: no limits, no copies of bodies, retries on, requests wait in the queue and are adapted, nobody is asked. */
export const defaultAppSettings: Omit<AppSettings, 'name' | 'colour'> = {
  expiresAt: null,
  modelMap: [],
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
  adaptRequests: true,
  atBudget: 'refuse',
  askNewModel: false,
  askAbove: null,
  busyRequests: null,
  busySpend: null,
  tools: false,
  toolOutput: null,
  toolInputs: [],
}

const mostModels = 500

function bad(message: string): never {
  throw new StudioError('bad_input', message)
}

function checkedName(given: string): string {
  const name = given.trim()
  if (name === '' || name.length > 80) bad('Give the app a name of at most 80 characters.')
  if (/\p{Cc}/u.test(name)) bad('The name of an app must be one line of text.')
  return name
}

function checkedColour(given: string): AppSettings['colour'] {
  const { data } = colour.safeParse(given)
  return data ?? bad(`Unknown colour ${given}. Choose one of ${colour.options.join(', ')}.`)
}

/** The year 10000, which ISO 8601 writes in another format. */
const latestInstant = Date.UTC(10_000, 0)

/** The instant as `toISOString` writes it. The offset is required: without one the instant would depend on the computer's time zone. */
function checkedInstant(given: string): string {
  const whole = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.test(given)
  // `Date` alone would read 30 February as 2 March.
  const at = whole ? instantOf(given) : null
  if (at === null || at >= latestInstant) bad('Give the expiry as an instant such as 2026-12-31T18:00:00Z.')
  return new Date(at).toISOString()
}

function checkedModels(given: readonly string[]): string[] {
  const models = [...new Set(given.map((model) => model.trim()))]
  if (models.length === 0) bad('Name at least one model, or allow all models.')
  if (models.length > mostModels) bad(`Name at most ${mostModels} models.`)
  for (const model of models)
    if (model === '' || model.length > 300 || /\p{Cc}/u.test(model))
      bad('A model id must be one line of at most 300 characters.')
  return models
}

function checkedEndpoints(given: readonly string[]): NonNullable<AppSettings['endpoints']> {
  const endpoints = [...new Set(given)].map(
    (name) =>
      endpoint.safeParse(name).data ?? bad(`Unknown endpoint ${name}. Choose from ${endpoint.options.join(', ')}.`),
  )
  if (endpoints.length === 0) bad('Name at least one endpoint, or allow all endpoints.')
  return endpoints
}

function checkedMost(given: number, what: string): number {
  if (!Number.isInteger(given) || given < 1 || given > 1_000_000_000)
    bad(`The limit of ${what} must be a whole number from 1 to 1,000,000,000.`)
  return given
}

function checkedBudget(given: string): string {
  const amount = toNano(given)
  if (amount < 0n) bad('A budget can’t be negative.')
  return fromNano(amount)
}

/** A root folder would open every file of the computer, keys of other programs included. */
function checkedFolder(given: string): string {
  const folder = normalize(given.trim()).replace(/(?<=[^/\\:])[/\\]+$/, '')
  if (given.trim() === '' || !isAbsolute(folder) || /\p{Cc}/u.test(folder) || folder.length > maxFolderPath)
    bad(`Give the whole path of a folder, such as ${join(homedir(), 'Pictures')}.`)
  if (parse(folder).root === folder) bad('Choose a folder below the root of the disk.')
  return folder
}

function checkedFolders(given: readonly string[]): string[] {
  const folders = [...new Set(given.map(checkedFolder))]
  if (folders.length > maxToolInputs) bad(`Choose at most ${maxToolInputs} folders.`)
  return folders
}

/** Applies `check` unless the value is null (no limit) or undefined (not given). */
const unless = <T extends string | number | readonly string[], R>(
  given: T | null | undefined,
  check: (given: T) => R,
): R | null | undefined => (given === null || given === undefined ? given : check(given))

/**
 * Checks and normalizes changes: trimmed text, no duplicates, instants in UTC, amounts without trailing zeros. Adds no setting.
 * @throws StudioError `bad_input` for the first invalid setting
 */
export function checkedChanges(given: UncheckedChanges): AppChanges {
  const { name, colour: wanted, logBodies, retries, failFast, adaptRequests, atBudget, askNewModel, tools } = given
  return {
    name: name === undefined ? undefined : checkedName(name),
    colour: wanted === undefined ? undefined : checkedColour(wanted),
    expiresAt: unless(given.expiresAt, checkedInstant),
    modelMap: given.modelMap && checkedModelMap(given.modelMap),
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
    adaptRequests,
    atBudget,
    askNewModel,
    askAbove: unless(given.askAbove, checkedBudget),
    busyRequests: unless(given.busyRequests, (most) => checkedMost(most, 'requests an hour')),
    busySpend: unless(given.busySpend, checkedBudget),
    tools,
    toolOutput: unless(given.toolOutput, checkedFolder),
    toolInputs: given.toolInputs && checkedFolders(given.toolInputs),
  }
}

/** The settings after these changes. */
export function changedSettings(before: AppSettings, changes: AppChanges): AppSettings {
  const changed = <T>(value: T | undefined, old: T): T => (value === undefined ? old : value)
  return {
    name: changed(changes.name, before.name),
    colour: changed(changes.colour, before.colour),
    expiresAt: changed(changes.expiresAt, before.expiresAt),
    modelMap: changed(changes.modelMap, before.modelMap),
    models: changed(changes.models, before.models),
    endpoints: changed(changes.endpoints, before.endpoints),
    requestsPerMinute: changed(changes.requestsPerMinute, before.requestsPerMinute),
    tokensPerMinute: changed(changes.tokensPerMinute, before.tokensPerMinute),
    concurrent: changed(changes.concurrent, before.concurrent),
    budgetDay: changed(changes.budgetDay, before.budgetDay),
    budgetMonth: changed(changes.budgetMonth, before.budgetMonth),
    budgetTotal: changed(changes.budgetTotal, before.budgetTotal),
    logBodies: changed(changes.logBodies, before.logBodies),
    retries: changed(changes.retries, before.retries),
    failFast: changed(changes.failFast, before.failFast),
    adaptRequests: changed(changes.adaptRequests, before.adaptRequests),
    atBudget: changed(changes.atBudget, before.atBudget),
    askNewModel: changed(changes.askNewModel, before.askNewModel),
    askAbove: changed(changes.askAbove, before.askAbove),
    busyRequests: changed(changes.busyRequests, before.busyRequests),
    busySpend: changed(changes.busySpend, before.busySpend),
    tools: changed(changes.tools, before.tools),
    toolOutput: changed(changes.toolOutput, before.toolOutput),
    toolInputs: changed(changes.toolInputs, before.toolInputs),
  }
}

/** The colour that the fewest apps in use have. Of several, the first in the palette. */
export function leastUsedColour(apps: readonly App[]): AppSettings['colour'] {
  const inUse = apps.filter(({ revokedAt }) => revokedAt === null)
  const uses = (name: string): number => inUse.filter((app) => app.colour === name).length
  return colour.options.reduce((least, next) => (uses(next) < uses(least) ? next : least))
}
