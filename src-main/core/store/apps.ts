import * as z from 'zod'
import type { App, AppSettings } from '../../../src-preload/contract/apps.ts'
import { modelRule } from '../../../src-preload/contract/modelMap.ts'
import { colour, endpoint } from '../../../src-preload/contract/requests.ts'
import type { Database } from './database.ts'
import type { ReadHandle } from './readOnly.ts'
import { bytes, json, jsonOrNull, number, numberOrNull, type Row, text, textOrNull, toJson } from './rows.ts'

export interface StoredApp {
  readonly app: App
  /** SHA-256 of the secret half of the app key. */
  readonly hash: Uint8Array
  /** SHA-256 of the secret before the last rotation, which is accepted until `tool.previousKeyUntil`. Null: never rotated. */
  readonly previousHash: Uint8Array | null
}

/** The columns of settings that a person chooses. */
const columns = [
  'name',
  'colour',
  'expires_at',
  'model_map',
  'models',
  'endpoints',
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent',
  'budget_day',
  'budget_month',
  'budget_total',
  'log_bodies',
  'retries',
  'fail_fast',
  'adapt_requests',
  'at_budget',
  'ask_new_model',
  'ask_above',
  'busy_requests',
  'busy_spend',
  'tools',
  'tool_output',
  'tool_inputs',
] as const

const ids = z.array(z.string())
const endpoints = z.array(endpoint)
const modelMap = z.array(modelRule)

/** The read statements of `appTable`. */
export function appReader(handle: ReadHandle) {
  const one = handle.prepare('SELECT * FROM tool_keys WHERE id = ?')
  const all = handle.prepare('SELECT * FROM tool_keys ORDER BY created_at DESC, rowid DESC')

  return {
    find(id: string): StoredApp | null {
      const row = one.get(id)
      return row ? stored(row) : null
    },
    /** Newest first, including revoked ones. */
    all: (): StoredApp[] => all.all().map(stored),
    list: (): App[] => all.all().map(read),
  }
}

export function appTable({ handle, transaction, journal }: Database) {
  const insert = handle.prepare(
    `INSERT INTO tool_keys (id, hash, created_at, ${columns.join(', ')})
     VALUES (:id, :hash, :createdAt, ${columns.map((column) => `:${column}`).join(', ')})`,
  )
  const save = handle.prepare(
    `UPDATE tool_keys SET ${columns.map((column) => `${column} = :${column}`).join(', ')} WHERE id = :id`,
  )
  const pause = handle.prepare('UPDATE tool_keys SET paused_at = :at WHERE id = :id')
  const revoke = handle.prepare('UPDATE tool_keys SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL')
  const rotate = handle.prepare(
    'UPDATE tool_keys SET previous_hash = hash, previous_until = :until, hash = :hash WHERE id = :id',
  )
  const remove = handle.prepare('DELETE FROM tool_keys WHERE id = ?')
  const used = handle.prepare('UPDATE tool_keys SET last_used_at = :at WHERE id = :id')

  return {
    ...appReader(handle),
    insert: (app: Pick<App, 'id' | 'createdAt'> & AppSettings, hash: Uint8Array): void =>
      transaction(() => void insert.run({ id: app.id, createdAt: app.createdAt, hash, ...write(app) })),
    save: (id: string, settings: AppSettings): void => transaction(() => void save.run({ id, ...write(settings) })),
    pause: (id: string, at: string | null): void => transaction(() => void pause.run({ id, at })),
    revoke: (id: string, now: string): void => transaction(() => void revoke.run({ id, now })),
    /** Replaces the key. The previous one works until `until`; the one before it stops at once. */
    rotate: (id: string, hash: Uint8Array, until: string): void =>
      transaction(() => void rotate.run({ id, hash, until })),
    remove: (id: string): void => transaction(() => void remove.run(id)),
    markUsed: (uses: Map<string, string>): void =>
      journal(() => {
        for (const [id, at] of uses) used.run({ id, at })
      }),
  }
}

const stored = (row: Row): StoredApp => ({
  app: read(row),
  hash: bytes(row, 'hash'),
  previousHash: row.previous_hash === null ? null : bytes(row, 'previous_hash'),
})

/** The settings as column values. */
function write(settings: AppSettings): Record<(typeof columns)[number], string | number | null> {
  const { name, expiresAt, models, endpoints: served, requestsPerMinute, tokensPerMinute, concurrent } = settings
  return {
    name,
    colour: settings.colour,
    expires_at: expiresAt,
    model_map: JSON.stringify(settings.modelMap),
    models: toJson(models),
    endpoints: toJson(served),
    requests_per_minute: requestsPerMinute,
    tokens_per_minute: tokensPerMinute,
    concurrent,
    budget_day: settings.budgetDay,
    budget_month: settings.budgetMonth,
    budget_total: settings.budgetTotal,
    log_bodies: Number(settings.logBodies),
    retries: Number(settings.retries),
    fail_fast: Number(settings.failFast),
    adapt_requests: Number(settings.adaptRequests),
    at_budget: settings.atBudget,
    ask_new_model: Number(settings.askNewModel),
    ask_above: settings.askAbove,
    busy_requests: settings.busyRequests,
    busy_spend: settings.busySpend,
    tools: Number(settings.tools),
    tool_output: settings.toolOutput,
    tool_inputs: JSON.stringify(settings.toolInputs),
  }
}

function read(row: Row): App {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    // A color of a later version must not make a key unusable. Every other unreadable value does.
    colour: colour.catch('slate').parse(text(row, 'colour')),
    expiresAt: textOrNull(row, 'expires_at'),
    modelMap: json(row, 'model_map', modelMap),
    models: jsonOrNull(row, 'models', ids),
    endpoints: jsonOrNull(row, 'endpoints', endpoints),
    requestsPerMinute: numberOrNull(row, 'requests_per_minute'),
    tokensPerMinute: numberOrNull(row, 'tokens_per_minute'),
    concurrent: numberOrNull(row, 'concurrent'),
    budgetDay: textOrNull(row, 'budget_day'),
    budgetMonth: textOrNull(row, 'budget_month'),
    budgetTotal: textOrNull(row, 'budget_total'),
    logBodies: number(row, 'log_bodies') === 1,
    retries: number(row, 'retries') === 1,
    failFast: number(row, 'fail_fast') === 1,
    adaptRequests: number(row, 'adapt_requests') === 1,
    atBudget: text(row, 'at_budget') === 'ask' ? 'ask' : 'refuse',
    askNewModel: number(row, 'ask_new_model') === 1,
    askAbove: textOrNull(row, 'ask_above'),
    busyRequests: numberOrNull(row, 'busy_requests'),
    busySpend: textOrNull(row, 'busy_spend'),
    tools: number(row, 'tools') === 1,
    toolOutput: textOrNull(row, 'tool_output'),
    toolInputs: json(row, 'tool_inputs', ids),
    createdAt: text(row, 'created_at'),
    lastUsedAt: textOrNull(row, 'last_used_at'),
    pausedAt: textOrNull(row, 'paused_at'),
    revokedAt: textOrNull(row, 'revoked_at'),
    previousKeyUntil: textOrNull(row, 'previous_until'),
  }
}
