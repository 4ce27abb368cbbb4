import type { Problem } from '../../../src-preload/contract/problem.ts'
import { type AddressChange, normalizeAddress } from './address.ts'

export interface TestResult {
  baseUrl: string
  models: number
  keyPrefix: string | null
  keyName: string | null
}

/** The form without the key, which is only in its input. */
export interface ConnectForm {
  baseUrl: string
  /** What was added to and removed from the typed address, until it is edited again. */
  changes: AddressChange[]
  keyStorage: 'keychain' | 'session'
  allowInsecure: boolean
  phase: 'editing' | 'testing' | 'connecting'
  tested: TestResult | null
  problem: Problem | null
}

export type ConnectAction =
  | { type: 'address'; baseUrl: string }
  /** The person left the field or submits. Corrects the address visibly in the field. */
  | { type: 'normalize' }
  | { type: 'keyStorage'; keyStorage: ConnectForm['keyStorage'] }
  | { type: 'insist'; allowInsecure: boolean }
  | { type: 'key' }
  | { type: 'ask'; phase: 'testing' | 'connecting' }
  | { type: 'works'; tested: TestResult }
  | { type: 'failed'; problem: Problem }

export const firstForm = (
  former: { baseUrl: string; allowInsecure: boolean } | undefined,
  keychain: boolean,
): ConnectForm => ({
  baseUrl: former?.baseUrl ?? '',
  changes: [],
  keyStorage: keychain ? 'keychain' : 'session',
  allowInsecure: former?.allowInsecure ?? false,
  phase: 'editing',
  tested: null,
  problem: null,
})

/** Results of earlier input are hidden. */
const stale = { tested: null, problem: null }

export function connectReducer(form: ConnectForm, action: ConnectAction): ConnectForm {
  switch (action.type) {
    case 'address':
      // The consent to an insecure connection is for one address. Another address asks again.
      return { ...form, ...stale, baseUrl: action.baseUrl, changes: [], allowInsecure: false }
    case 'normalize': {
      const address = normalizeAddress(form.baseUrl)
      if (!('url' in address) || address.url === form.baseUrl) return form
      return { ...form, baseUrl: address.url, changes: address.changes }
    }
    case 'keyStorage':
      return { ...form, keyStorage: action.keyStorage }
    case 'insist':
      return { ...form, allowInsecure: action.allowInsecure }
    case 'key':
      return { ...form, ...stale }
    case 'ask':
      return { ...form, ...stale, phase: action.phase }
    case 'works':
      return { ...form, phase: 'editing', tested: action.tested }
    case 'failed':
      return { ...form, phase: 'editing', problem: action.problem }
  }
}

/** Whether the form is complete: an address, and the person's consent when the key would be sent unencrypted. */
export function canAsk({ baseUrl, allowInsecure, phase }: ConnectForm): boolean {
  const address = normalizeAddress(baseUrl)
  return 'url' in address && (!address.isInsecure || allowInsecure) && phase === 'editing'
}

/** The field beside which a failure is shown. */
export type FailedField = 'address' | 'key' | 'storage'

/** Failures that this form explains more specifically, because it knows the action. Null: the general text of the kind applies. */
export type ConnectCause =
  | 'dns'
  | 'refused'
  | 'route'
  | 'timeout'
  | 'tls'
  | 'noTls'
  | 'notAnApi'
  | 'keyRejected'
  | 'keyMissing'
  | 'keyForbidden'

const network: Record<string, ConnectCause> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'route',
  ENETUNREACH: 'route',
  EHOSTDOWN: 'route',
  ENETDOWN: 'route',
  EADDRNOTAVAIL: 'route',
  EPROTO: 'noTls',
  ERR_SSL_WRONG_VERSION_NUMBER: 'noTls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'noTls',
}

/** Replies that come from a server, but not from an API of this kind. */
const foreign: ReadonlySet<Problem['kind']> = new Set([
  'not_found',
  'malformed_reply',
  'unexpected_status',
  'not_implemented',
])

/** The field beside which a failed test is shown, and the cause. */
export function explain(problem: Problem, hasKey: boolean): { field: FailedField; cause: ConnectCause | null } {
  const { kind, fault = '', said } = problem
  if (kind === 'unauthorized') return { field: 'key', cause: hasKey ? 'keyRejected' : 'keyMissing' }
  if (kind === 'forbidden') return { field: 'key', cause: 'keyForbidden' }
  if (kind === 'bad_input') return { field: 'key', cause: null }
  if (kind === 'keychain_missing' || kind === 'keychain_locked') return { field: 'storage', cause: null }
  if (kind === 'connect_failed' || kind === 'tls_failed')
    return { field: 'address', cause: network[fault] ?? (kind === 'tls_failed' ? 'tls' : null) }
  if (kind === 'connect_timeout' || kind === 'headers_timeout') return { field: 'address', cause: 'timeout' }
  if (foreign.has(kind) || (kind === 'invalid_request' && !said)) return { field: 'address', cause: 'notAnApi' }
  return { field: 'address', cause: null }
}
