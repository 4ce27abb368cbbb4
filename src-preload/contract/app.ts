import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { instant, problem, procedure } from './problem.ts'
import { refusal } from './requests.ts'

/** Where requests go. Profiles of kind `sandbox` have an address only while the sandbox runs. */
export const profile = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['sandbox', 'service']),
  /** Normalised base address, without `/v1` and without a trailing slash. */
  baseUrl: z.string(),
  /** Where its key is kept. `none`: the person has to give it again. */
  keyKept: z.enum(['keychain', 'session', 'environment', 'sandbox', 'none']),
})
export type Profile = z.infer<typeof profile>

/** Nothing answers at the address: there is no network, or the service is not there. Everything kept can be read meanwhile. */
export const offline = z.object({
  /** When it was not there for the first time. */
  since: instant,
  /** When it is looked for again without anybody's doing; null while that is under way. */
  nextLookAt: instant.nullable(),
})
export type Offline = z.infer<typeof offline>

/** A connection that can be chosen with one click. */
export const savedProfile = profile.extend({
  /** The one that requests go to, or would once it answers. */
  active: z.boolean(),
  /** Plain http to another machine was allowed on purpose. */
  allowInsecure: z.boolean(),
  /** The book of the account that it led to last; null where none is known. */
  accountId: z.string().nullable(),
})
export type SavedProfile = z.infer<typeof savedProfile>

export const connection = z.object({
  /** `none`: first run. `checking`: being asked now. `connected`: the last answer was good. `failed`: see `problem`. */
  state: z.enum(['none', 'checking', 'connected', 'failed']),
  profile: profile.nullable(),
  problem: problem.nullable(),
  checkedAt: instant.nullable(),
  /** Absent or null: something answers, as far as is known. Stays while the address is asked again. */
  offline: offline.nullable().optional(),
})
export type Connection = z.infer<typeof connection>

export const proxyState = z.object({
  /** `off`: switched off. `waiting`: on, but nothing is connected to relay to. `failed`: see `problem`. */
  state: z.enum(['on', 'off', 'waiting', 'failed']),
  /** Such as `http://127.0.0.1:8787/v1`; null while it does not listen. */
  baseUrl: z.string().nullable(),
  port: z.number().int().nullable(),
  /** The port asked for; differs from `port` when that one was taken. */
  wantedPort: z.number().int(),
  /** Tool keys that are not revoked. */
  apps: z.number().int(),
  /** Requests that are being relayed now. */
  active: z.number().int(),
  /** Requests relayed and refused since start. */
  relayed: z.number().int(),
  refused: z.number().int(),
  /** Requests that wait at the desk now, the studio's too. */
  waiting: z.number().int(),
  /** Until when the service asked everyone to wait (`Retry-After`); null when it does not. */
  heldUntil: instant.nullable(),
  /** Newest first, at most 50: refusals that a person should hear of, since start. */
  refusals: z.array(refusal),
  problem: problem.nullable(),
})
export type ProxyState = z.infer<typeof proxyState>

/** The general minute bucket, from reply headers or the rate-limit status, whichever is newer. Any figure may be unknown. */
export const minuteBucket = z.object({
  limit: z.number().nullable(),
  remaining: z.number().nullable(),
  resetSeconds: z.number().nullable(),
  banned: z.boolean(),
  bannedUntil: z.string().nullable(),
  asOf: instant,
})
export type MinuteBucket = z.infer<typeof minuteBucket>

export const settings = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  proxyEnabled: z.boolean(),
  proxyPort: z.number().int().min(0).max(65_535),
  /** Also listen on ::1. */
  proxyIpv6: z.boolean(),
  /** Origins of web pages (or extensions) that may use the local /v1, each with a tool key; exact, such as `http://localhost:3000`. */
  proxyOrigins: z.array(z.string().max(300)).max(50),
  /** Prometheus text at `/metrics` of the web host. */
  metrics: z.boolean(),
  /** Logged bodies are erased after so many days. */
  bodyDays: z.number().int().min(1).max(365),
  /** The log of requests is erased after so many days; null: never. Sums by day stay. */
  logDays: z.number().int().min(1).max(3650).nullable(),
  /** The chat model picked last; exact id of the list. */
  chatModel: z.string().nullable(),
  /** Raw requests and replies of chat are kept like those of a tool that is set so: capped, without secrets, for `bodyDays`. */
  chatBodies: z.boolean(),
  /** How many rounds of tool calls a model may ask for before a person must say go on. */
  toolRounds: z.number().int().min(1).max(100),
  /** Pressed keys by command id, where a person changed them; an empty text takes the keys away. */
  shortcuts: z.record(z.string().max(100), z.string().max(100)),
  /** A language's code; `en-XA` and `ar-XB` are made-up ones for finding what breaks. */
  language: z.string().max(20),
  /** Voice for reading aloud; null is the service's default. */
  voice: z.string().max(100).nullable(),
})
export type Settings = z.infer<typeof settings>

export const appState = z.object({
  host: z.enum(['desktop', 'web']),
  version: z.string(),
  dataDir: z.string(),
  connection,
  /** By name; that of this run alone too. */
  profiles: z.array(savedProfile),
  keychain: z.object({ available: z.boolean(), reason: z.string().nullable() }),
  proxy: proxyState,
  bucket: minuteBucket.nullable(),
  settings,
})
export type AppState = z.infer<typeof appState>

export const app = {
  /** The whole state first, then the whole state again after each change (it is small), at most 20 times a second. */
  watch: procedure.output(eventIterator(appState)),
  updateSettings: procedure.input(settings.partial()).output(settings),
  /** Opens an http, https or mailto address in the system's browser; anything else is refused. */
  openExternal: procedure.input(z.object({ url: z.string() })).output(z.object({ opened: z.boolean() })),
}
