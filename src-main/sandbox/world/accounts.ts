import { createHash, timingSafeEqual } from 'node:crypto'
import { Decimal } from 'decimal.js'
import { DAY, seededHex, seededUuid } from './seed.ts'

/** The account-wide limits that `GET /v1/rate-limit` reports. */
export interface AccountLimits {
  /** Requests of any kind per minute. */
  rpm: number
  /** Free models: requests per hour and day, tokens per hour and day. */
  rph: number
  rpd: number
  tph: number
  tpd: number
}

export interface SandboxAccount {
  id: string
  balance: Decimal
  limits: AccountLimits
  bannedUntil: string | null
}

export interface ApiKey {
  id: string
  account: SandboxAccount
  /** Name in the seed (`main`, `rpm`, ...). */
  seedName: string
  name: string | null
  prefix: string
  /** SHA-256 of the secret, which is not stored. */
  digest: Buffer
  rpm: number | null
  tpm: number | null
  maxConcurrent: number | null
  balanceEnabled: boolean
  balance: Decimal
  balanceLimit: Decimal
  createdAt: string
  lastUsedAt: string | null
  revokedAt: string | null
  /** False: every request is answered with 403. */
  permitted: boolean
  /** Weight in the seeded history; 0 means no history. */
  history: number
}

export const KEY_NAMES = [
  'main',
  'noPermission',
  'noCredit',
  'revoked',
  'neverUsed',
  'rpm',
  'tpm',
  'oneAtATime',
  'freeTier',
  'banned',
  'stranger',
] as const
export type KeyName = (typeof KEY_NAMES)[number]

const GENEROUS: AccountLimits = { rpm: 600, rph: 1_000, rpd: 10_000, tph: 2_000_000, tpd: 20_000_000 }

/** The properties of each seeded key that differ from the defaults. */
const SEEDED: Record<KeyName, Partial<Omit<ApiKey, 'balance' | 'balanceLimit'>> & { owner: string; balance?: number }> =
  {
    main: { owner: 'home', name: 'Everyday', history: 10 },
    noPermission: { owner: 'home', name: 'No permission', permitted: false },
    noCredit: { owner: 'home', name: 'Out of credit', balanceEnabled: true, balance: 0, history: 2 },
    revoked: { owner: 'home', name: 'Old laptop', history: 1 },
    neverUsed: { owner: 'home', name: null },
    rpm: { owner: 'home', name: 'Five a minute', rpm: 5, history: 1 },
    tpm: { owner: 'home', name: 'Few tokens a minute', tpm: 600, balanceEnabled: true, balance: 12.5, history: 1 },
    oneAtATime: { owner: 'home', name: 'One at a time', maxConcurrent: 1 },
    freeTier: { owner: 'free', name: 'Free tier' },
    banned: { owner: 'banned', name: 'Banned for now' },
    stranger: { owner: 'stranger', name: "A stranger's key", history: 3 },
  }

export interface Accounts {
  keys: Map<KeyName, ApiKey>
  secrets: Record<KeyName, string>
  /** Returns the key with this secret, or null. Always compares with every key, so that the duration reveals nothing about a guess. */
  find(secret: string): ApiKey | null
}

export interface AccountSeed {
  seed: string
  now: number
  limits?: Partial<AccountLimits>
  /** Secret of the everyday key. Default: derived from the seed. */
  apiKey?: string
  /** SC on the everyday account. */
  balance?: number
}

export function seedAccounts(options: AccountSeed): Accounts {
  const { seed, now } = options
  const account = (name: string, rest: Partial<SandboxAccount> = {}): SandboxAccount => ({
    id: seededUuid(seed, 'account', name),
    balance: new Decimal(250),
    limits: GENEROUS,
    bannedUntil: null,
    ...rest,
  })
  const owners: Record<string, SandboxAccount> = {
    home: account('home', { limits: { ...GENEROUS, ...options.limits }, balance: new Decimal(options.balance ?? 250) }),
    free: account('free', { balance: new Decimal(0), limits: { rpm: 120, rph: 3, rpd: 5, tph: 2_000, tpd: 3_000 } }),
    banned: account('banned', { bannedUntil: instant(now + DAY) }),
    stranger: account('stranger', { balance: new Decimal(40) }),
  }
  const keys = new Map<KeyName, ApiKey>()
  const secrets: Partial<Record<KeyName, string>> = {}
  for (const seedName of KEY_NAMES) {
    const { owner, balance, ...rest } = SEEDED[seedName]
    const home = owners[owner]
    if (!home) throw new Error(`no account ${owner} in the seed`)
    const seeded = `sbx-${seedName.toLowerCase()}-${seededHex(32, seed, 'secret', seedName)}`
    const secret = seedName === 'main' ? (options.apiKey ?? seeded) : seeded
    secrets[seedName] = secret
    keys.set(seedName, {
      id: seededUuid(seed, 'key', seedName),
      account: home,
      seedName,
      name: null,
      prefix: secret.slice(0, Math.min(12, Math.floor(secret.length / 2))),
      digest: sha256(secret),
      rpm: null,
      tpm: null,
      maxConcurrent: null,
      balanceEnabled: false,
      balance: new Decimal(balance ?? 0),
      balanceLimit: new Decimal(rest.balanceEnabled ? 25 : 0),
      createdAt: instant(now - 60 * DAY),
      lastUsedAt: (rest.history ?? 0) > 0 ? instant(now - DAY) : null,
      revokedAt: seedName === 'revoked' ? instant(now - 3 * DAY) : null,
      permitted: true,
      history: 0,
      ...rest,
    })
  }
  return {
    keys,
    secrets: secrets as Record<KeyName, string>,
    find(secret) {
      const digest = sha256(secret)
      let found: ApiKey | null = null
      for (const key of keys.values()) if (timingSafeEqual(key.digest, digest)) found = key
      return found
    },
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** `2026-11-21T07:00:00Z`: seconds, UTC. */
export const instant = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

/** The record as the service shows it (section "API key record"). The secret cannot be derived from it. */
export const keyRecord = (key: ApiKey) => ({
  id: key.id,
  user_id: key.account.id,
  key_prefix: key.prefix,
  name: key.name,
  rate_limit_rpm: key.rpm,
  rate_limit_tpm: key.tpm,
  max_concurrent: key.maxConcurrent,
  balance_enabled: key.balanceEnabled,
  balance_sc: key.balance.toNumber(),
  balance_limit_sc: key.balanceLimit.toNumber(),
  created_at: key.createdAt,
  last_used_at: key.lastUsedAt,
  revoked_at: key.revokedAt,
})
