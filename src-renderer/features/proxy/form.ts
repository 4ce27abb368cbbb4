import { type App, type AppSettings, maxToolInputs } from '../../../src-preload/contract/apps.ts'
import type { ModelRule } from '../../../src-preload/contract/modelMap.ts'
import type { Endpoint } from '../../../src-preload/contract/requests.ts'
import { parseDecimal, parseWhole } from '../../shared/typedNumber.ts'
import { filledRules, isIncomplete } from './modelMapForm.ts'

/** The fields of the app form, as typed. An empty text means no limit. */
export interface AppForm {
  name: string
  colour: AppSettings['colour']
  /** In the format of `datetime-local`, local time. */
  expires: string
  /** In order. Rules without pattern and model are not saved. */
  modelMap: readonly ModelRule[]
  anyModel: boolean
  models: readonly string[]
  anyEndpoint: boolean
  endpoints: readonly Endpoint[]
  requestsPerMinute: string
  tokensPerMinute: string
  concurrent: string
  budgetDay: string
  budgetMonth: string
  budgetTotal: string
  logBodies: boolean
  retries: boolean
  failFast: boolean
  adaptRequests: boolean
  atBudget: AppSettings['atBudget']
  askNewModel: boolean
  askAbove: string
  busyRequests: string
  busySpend: string
  tools: boolean
  toolOutput: string
  /** One folder a line. */
  toolInputs: string
}

export const limits = ['requestsPerMinute', 'tokensPerMinute', 'concurrent'] as const
export const budgets = ['budgetDay', 'budgetMonth', 'budgetTotal'] as const
export type Budget = (typeof budgets)[number]
type NumberField = (typeof limits)[number] | Budget | 'askAbove' | 'busyRequests' | 'busySpend'

export type FormError =
  | 'name'
  | 'expiresPast'
  | 'whole'
  | 'amount'
  | 'modelMap'
  | 'models'
  | 'endpoints'
  | 'folder'
  | 'folders'
export type FormErrors = Partial<Record<keyof AppForm, FormError>>

export const colours: readonly AppSettings['colour'][] = [
  'blue',
  'teal',
  'violet',
  'amber',
  'rose',
  'green',
  'slate',
  'orange',
]

/** The first colour among those that the fewest apps use. */
export function freshColour(apps: readonly Pick<App, 'colour' | 'revokedAt'>[]): AppSettings['colour'] {
  const used = (colour: AppSettings['colour']) =>
    apps.filter((app) => app.revokedAt === null && app.colour === colour).length
  return colours.reduce((best, colour) => (used(colour) < used(best) ? colour : best), 'blue')
}

export const newForm = (name: string, colour: AppSettings['colour']): AppForm => ({
  name,
  colour,
  expires: '',
  modelMap: [],
  anyModel: true,
  models: [],
  anyEndpoint: true,
  endpoints: [],
  requestsPerMinute: '',
  tokensPerMinute: '',
  concurrent: '',
  budgetDay: '',
  budgetMonth: '',
  budgetTotal: '',
  logBodies: false,
  retries: true,
  failFast: false,
  adaptRequests: true,
  atBudget: 'refuse',
  askNewModel: false,
  askAbove: '',
  busyRequests: '',
  busySpend: '',
  tools: false,
  toolOutput: '',
  toolInputs: '',
})

export const formOf = (app: App): AppForm => ({
  name: app.name,
  colour: app.colour,
  expires: app.expiresAt === null ? '' : localText(app.expiresAt),
  modelMap: app.modelMap,
  anyModel: app.models === null,
  models: app.models ?? [],
  anyEndpoint: app.endpoints === null,
  endpoints: app.endpoints ?? [],
  requestsPerMinute: app.requestsPerMinute?.toString() ?? '',
  tokensPerMinute: app.tokensPerMinute?.toString() ?? '',
  concurrent: app.concurrent?.toString() ?? '',
  budgetDay: app.budgetDay ?? '',
  budgetMonth: app.budgetMonth ?? '',
  budgetTotal: app.budgetTotal ?? '',
  logBodies: app.logBodies,
  retries: app.retries,
  failFast: app.failFast,
  adaptRequests: app.adaptRequests,
  atBudget: app.atBudget,
  askNewModel: app.askNewModel,
  askAbove: app.askAbove ?? '',
  busyRequests: app.busyRequests?.toString() ?? '',
  busySpend: app.busySpend ?? '',
  tools: app.tools,
  toolOutput: app.toolOutput ?? '',
  toolInputs: app.toolInputs.join('\n'),
})

/** An instant in the format of `datetime-local`, local time, to the minute. */
export function localText(instant: string): string {
  const at = new Date(instant)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** The instant of a `datetime-local` text. Null when invalid. */
export function instantOf(text: string): string | null {
  const at = new Date(text)
  return text === '' || Number.isNaN(at.getTime()) ? null : at.toISOString()
}

const linesOf = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || [])

/** Whether a path begins at the root of a disk, on any system. The core checks the rest. */
const isWholePath = (path: string): boolean => /^(?:\/|[A-Za-z]:[\\/]|\\\\)./.test(path)

/** Parses a limit, 1 to 1,000,000,000. Null when empty, undefined when invalid. */
function limitOf(typed: string): number | null | undefined {
  const value = parseWhole(typed)
  return value == null || (value >= 1 && value <= 1_000_000_000) ? value : undefined
}

/** A typed number as it was understood, so that the field shows what is saved. An invalid one stays as typed. */
export const shownBack = (field: NumberField, typed: string): string => {
  const isAmount = field.startsWith('budget') || field === 'askAbove' || field === 'busySpend'
  const value = isAmount ? parseDecimal(typed) : limitOf(typed)
  return value === undefined ? typed : String(value ?? '')
}

/**
 * The settings to save, or the errors by field.
 * @param before the current app: an unchanged expiry is accepted even when it has passed
 */
export function readForm(
  form: AppForm,
  now: number,
  before: string | null = null,
): { settings: AppSettings; errors: null } | { settings: null; errors: FormErrors } {
  const errors: FormErrors = {}
  const name = form.name.trim()
  if (name === '' || name.length > 80) errors.name = 'name'
  const kept = before !== null && form.expires === localText(before)
  const expiresAt = kept ? before : instantOf(form.expires)
  if (expiresAt !== null && !kept && Date.parse(expiresAt) <= now) errors.expires = 'expiresPast'
  const modelMap = filledRules(form.modelMap)
  if (modelMap.some(isIncomplete)) errors.modelMap = 'modelMap'
  if (!form.anyModel && form.models.length === 0) errors.models = 'models'
  if (!form.anyEndpoint && form.endpoints.length === 0) errors.endpoints = 'endpoints'
  const whole = (field: (typeof limits)[number] | 'busyRequests'): number | null => {
    const value = limitOf(form[field])
    if (value === undefined) errors[field] = 'whole'
    return value ?? null
  }
  const amount = (field: (typeof budgets)[number] | 'askAbove' | 'busySpend'): string | null => {
    const value = parseDecimal(form[field])
    if (value === undefined) errors[field] = 'amount'
    return value ?? null
  }
  const settings: AppSettings = {
    name,
    colour: form.colour,
    expiresAt,
    modelMap,
    models: form.anyModel ? null : [...form.models],
    endpoints: form.anyEndpoint ? null : [...form.endpoints],
    requestsPerMinute: whole('requestsPerMinute'),
    tokensPerMinute: whole('tokensPerMinute'),
    concurrent: whole('concurrent'),
    budgetDay: amount('budgetDay'),
    budgetMonth: amount('budgetMonth'),
    budgetTotal: amount('budgetTotal'),
    logBodies: form.logBodies,
    retries: form.retries,
    failFast: form.failFast,
    adaptRequests: form.adaptRequests,
    atBudget: form.atBudget,
    askNewModel: form.askNewModel,
    askAbove: amount('askAbove'),
    busyRequests: whole('busyRequests'),
    busySpend: amount('busySpend'),
    tools: form.tools,
    toolOutput: form.toolOutput.trim() || null,
    toolInputs: linesOf(form.toolInputs),
  }
  if (settings.toolOutput !== null && !isWholePath(settings.toolOutput)) errors.toolOutput = 'folder'
  if (!settings.toolInputs.every(isWholePath)) errors.toolInputs = 'folder'
  if (settings.toolInputs.length > maxToolInputs) errors.toolInputs = 'folders'
  return Object.keys(errors).length === 0 ? { settings, errors: null } : { settings: null, errors }
}
