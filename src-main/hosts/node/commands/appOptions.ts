import { instantOf } from '../../../../src-preload/contract/limitText.ts'
import type { ModelRule } from '../../../../src-preload/contract/modelMap.ts'
import { t } from '../../../../src-renderer/i18n/cli.ts'
import { StudioError } from '../../../core/errors.ts'
import { type AppChanges, checkedChanges, checkedModelMap } from '../../../core/stored.ts'
import { ownError, wordsOf } from '../ownWords.ts'

/** The options of `apps add` and `apps set`, as typed. */
export interface AppCliOptions {
  name?: string
  colour?: string
  expires?: string
  map?: string[]
  models?: string
  endpoints?: string
  rpm?: string
  tpm?: string
  concurrent?: string
  budgetDay?: string
  budgetMonth?: string
  budgetTotal?: string
  logBodies?: boolean
  retries?: boolean
  failFast?: boolean
  adapt?: boolean
  atBudget?: 'refuse' | 'ask'
  askNewModel?: boolean
  askAbove?: string
  busyRequests?: string
  busySpend?: string
  tools?: boolean
  toolOutput?: string
  toolInputs?: string[]
}

const minute = 60_000
const units: Record<string, number> = { m: minute, h: 60 * minute, d: 24 * 60 * minute, w: 7 * 24 * 60 * minute }

const bad = (words: string): StudioError => ownError('bad_input', words)

/** Parses one option: `none` becomes null (no limit); an option that was not given stays undefined. */
function limit<T>(typed: string | undefined, read: (text: string) => T): T | null | undefined {
  if (typed === undefined) return undefined
  return typed.trim() === 'none' ? null : read(typed.trim())
}

const several = (text: string): string[] => text.split(',').map((each) => each.trim())

const count = (option: string) => (text: string) => {
  if (!/^\d{1,10}$/.test(text)) throw bad(t('app.option.count', { option }))
  return Number(text)
}

function budget(option: string) {
  return (text: string): string => {
    if (!/^\d+(?:\.\d+)?$/.test(text)) throw bad(t('app.option.budget', { option }))
    return text
  }
}

/** Parses an instant, or a time from now such as `+30d`, into an ISO instant. */
const expiry = (now: number) => (text: string) => {
  const later = /^\+(\d{1,5})([mhdw])$/.exec(text)
  const unit = units[later?.[2] ?? '']
  if (later && unit) return new Date(now + Number(later[1]) * unit).toISOString()
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || instantOf(text) === null) throw bad(t('app.option.expires'))
  return text
}

/** Parses the `--map` options, in order. `none` alone clears the map. A pattern can't contain `=`, but a model id can. */
function readModelMap(typed: readonly string[] | undefined): ModelRule[] | undefined {
  if (typed === undefined) return undefined
  if (typed.length === 1 && typed[0]?.trim() === 'none') return []
  const rules = typed.map((rule) => {
    const [, pattern = '', model = ''] = /^([^=]*)=(.*)$/su.exec(rule) ?? []
    if (pattern.trim() === '' || model.trim() === '') throw bad(t('app.option.map'))
    return { pattern, model }
  })
  try {
    return checkedModelMap(rules)
  } catch (thrown) {
    if (thrown instanceof StudioError) throw bad(`--map: ${wordsOf(thrown)}`)
    throw thrown
  }
}

/** Parses and validates the options with the rules of the core. @throws StudioError `bad_input` */
export function readAppOptions(typed: AppCliOptions): AppChanges {
  const now = Date.now()
  const changes = checkedChanges({
    name: typed.name,
    colour: typed.colour,
    expiresAt: limit(typed.expires, expiry(now)),
    modelMap: readModelMap(typed.map),
    models: limit(typed.models, several),
    endpoints: limit(typed.endpoints, several),
    requestsPerMinute: limit(typed.rpm, count('--rpm')),
    tokensPerMinute: limit(typed.tpm, count('--tpm')),
    concurrent: limit(typed.concurrent, count('--concurrent')),
    budgetDay: limit(typed.budgetDay, budget('--budget-day')),
    budgetMonth: limit(typed.budgetMonth, budget('--budget-month')),
    budgetTotal: limit(typed.budgetTotal, budget('--budget-total')),
    logBodies: typed.logBodies,
    retries: typed.retries,
    failFast: typed.failFast,
    adaptRequests: typed.adapt,
    atBudget: typed.atBudget,
    askNewModel: typed.askNewModel,
    askAbove: limit(typed.askAbove, budget('--ask-above')),
    busyRequests: limit(typed.busyRequests, count('--busy-requests')),
    busySpend: limit(typed.busySpend, budget('--busy-spend')),
    tools: typed.tools,
    toolOutput: limit(typed.toolOutput, (folder) => folder),
    toolInputs: typed.toolInputs?.includes('none') ? [] : typed.toolInputs,
  })
  if (changes.expiresAt && Date.parse(changes.expiresAt) <= now) throw bad(t('app.option.past'))
  return changes
}
