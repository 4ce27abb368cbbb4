import type { SealedKey } from '../../../src-preload/contract/connection.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { judgeAddress } from './address.ts'

export interface TestResult {
  baseUrl: string
  models: number
  keyPrefix: string | null
  keyName: string | null
}

/** The form without the key. The key is only in its input, and here only as ciphertext for the core's process. */
export interface ConnectForm {
  baseUrl: string
  keyStorage: 'keychain' | 'session'
  allowInsecure: boolean
  /** Whether the key input has text. */
  keyTyped: boolean
  sealed: SealedKey | null
  phase: 'editing' | 'testing' | 'connecting'
  tested: TestResult | null
  problem: Problem | null
}

export type ConnectAction =
  | { type: 'address'; baseUrl: string }
  | { type: 'keyStorage'; keyStorage: ConnectForm['keyStorage'] }
  | { type: 'insist'; allowInsecure: boolean }
  | { type: 'key'; typed: boolean }
  | { type: 'sealed'; sealed: SealedKey }
  | { type: 'ask'; phase: 'testing' | 'connecting' }
  | { type: 'works'; tested: TestResult }
  | { type: 'failed'; problem: Problem }

export const firstForm = (
  former: { baseUrl: string; allowInsecure: boolean } | undefined,
  keychain: boolean,
): ConnectForm => ({
  baseUrl: former?.baseUrl ?? '',
  keyStorage: keychain ? 'keychain' : 'session',
  allowInsecure: former?.allowInsecure ?? false,
  keyTyped: false,
  sealed: null,
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
      return { ...form, ...stale, baseUrl: action.baseUrl, allowInsecure: false }
    case 'keyStorage':
      return { ...form, keyStorage: action.keyStorage }
    case 'insist':
      return { ...form, allowInsecure: action.allowInsecure }
    case 'key':
      return { ...form, ...stale, keyTyped: action.typed, sealed: action.typed ? null : form.sealed }
    case 'sealed':
      return { ...form, keyTyped: false, sealed: action.sealed }
    case 'ask':
      return { ...form, ...stale, phase: action.phase }
    case 'works':
      return { ...form, phase: 'editing', tested: action.tested }
    case 'failed':
      // `bad_input` can mean that the key was encrypted for a process that has ended: it must be entered again.
      return {
        ...form,
        phase: 'editing',
        problem: action.problem,
        sealed: action.problem.kind === 'bad_input' ? null : form.sealed,
      }
  }
}

/** Whether the form is complete: an address, a key, and the person's consent when the key would be sent unencrypted. */
export function canAsk(form: ConnectForm): boolean {
  const address = judgeAddress(form.baseUrl)
  const safe = address === 'good' || (address === 'insecure' && form.allowInsecure)
  return safe && (form.keyTyped || form.sealed !== null) && form.phase === 'editing'
}
