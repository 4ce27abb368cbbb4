import type { RequestFilter, RequestRow, Who } from '../../../src-preload/contract/requests.ts'
import type { Caller, Callers } from '../store/requestLog/callers.ts'
import { endpoints, type Outcome, outcomeOf, outcomes, usualPath } from '../store/requestLog/codes.ts'
import type { RowSearch } from '../store/requestLog/search.ts'
import type { AppNames } from './appNames.ts'

/** Lower case of A to Z only, as SQLite's LIKE does, so that rows in memory and in the file match alike. */
const fold = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** The caller of requests that the studio sends by itself to read the account. */
const pollingWho = 'studio:account'

/** A compiled filter: for rows in memory (`matches`) and for rows in the database (`search`). */
export interface ReadyFilter {
  matches(row: RequestRow): boolean
  search: RowSearch
  /** ms since 1970, both ends included. */
  since: number | null
  until: number | null
}

/** Whether a filter's caller matches a row's `who`. */
function isWho(wanted: string, who: string): boolean {
  if (wanted === 'studio') return who.startsWith('studio:')
  if (wanted.startsWith('studio:')) return who === wanted
  return who === (wanted === 'strangers' ? 'stranger' : `tool:${wanted}`)
}

/** A caller as stored in a row: `tool:ID`, `studio:FEATURE` or `stranger`. */
export function whoText(who: Who): string {
  if (who.kind === 'stranger') return 'stranger'
  return who.kind === 'app' ? `tool:${who.id}` : `studio:${who.feature}`
}

/** The outcome of a row, or null while it is in progress. */
export function outcomeOfRow({ state, status }: Pick<RequestRow, 'state' | 'status'>): Outcome | null {
  if (state === 'waiting' || state === 'backing_off' || state === 'sent' || state === 'streaming') return null
  return outcomeOf(state, status)
}

/** Compiles a filter of the contract. */
export function readyFilter(filter: RequestFilter, callers: Callers, names: AppNames): ReadyFilter {
  const since = timeOf(filter.since)
  const until = timeOf(filter.until)
  return {
    matches: (row) => matches(filter, since, until, row),
    search: searchOf(filter, callers, names),
    since,
    until,
  }
}

/** ms since 1970. An unreadable time sets no limit. */
export function timeOf(text: string | undefined): number | null {
  const at = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) ? null : at
}

function matches(filter: RequestFilter, since: number | null, until: number | null, row: RequestRow): boolean {
  const { who, model, outcome, text, polling } = filter
  if (who !== undefined && !isWho(who, whoText(row.who))) return false
  if (polling === false && whoText(row.who) === pollingWho) return false
  if (model !== undefined && row.model !== model) return false
  if (outcome !== undefined && (outcomeOfRow(row) ?? 'open') !== outcome) return false
  const at = since === null && until === null ? 0 : Date.parse(row.at)
  if (since !== null && at < since) return false
  if (until !== null && at > until) return false
  return text === undefined || text === '' || hasText(row, text)
}

function hasText(row: RequestRow, text: string): boolean {
  if (row.who.kind === 'app' && nameHas(row.who.name, text)) return true
  const wanted = fold(text)
  const texts = [row.path, row.model, row.problem?.kind, row.problem?.message, row.requestId]
  return texts.some((one) => typeof one === 'string' && fold(one).includes(wanted))
}

const nameHas = (name: string, text: string): boolean => name.toLowerCase().includes(text.toLowerCase())

function searchOf(filter: RequestFilter, callers: Callers, names: AppNames): RowSearch {
  const { who, model, outcome, text, polling } = filter
  const chosen = (test: (caller: Caller) => boolean): number[] =>
    [...callers.all()].filter(test).map((caller) => caller.id)
  const narrowed = who !== undefined || model !== undefined || polling === false
  const byModel = [...callers.all()].some(({ many }) => many)
  return {
    callers: narrowed
      ? chosen(
          (caller) =>
            (who === undefined || isWho(who, caller.who)) &&
            (polling !== false || caller.who !== pollingWho) &&
            (model === undefined || caller.model === model || caller.many),
        )
      : null,
    // Rows are compared with the model only when a caller has many models. Otherwise the caller entry determines the model.
    model: byModel ? (model ?? null) : null,
    outcomes: outcome === undefined ? null : outcome === 'open' ? [null] : [outcomes.indexOf(outcome)],
    text: text === undefined || text === '' ? null : textSearch(text, chosen, names),
    since: null,
    until: null,
  }
}

function textSearch(text: string, chosen: (test: (caller: Caller) => boolean) => number[], names: AppNames) {
  const wanted = fold(text)
  return {
    like: `%${text.replace(/[\\%_]/g, '\\$&')}%`,
    callers: chosen(
      ({ who, model }) =>
        (model !== null && fold(model).includes(wanted)) ||
        (who.startsWith('tool:') && nameHas(names.of(who.slice(5)).name, text)),
    ),
    endpoints: endpoints.flatMap((name, code) =>
      usualPath[name] && fold(usualPath[name]).includes(wanted) ? code : [],
    ),
  }
}
