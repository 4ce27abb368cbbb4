import type * as Electron from 'electron'
import { toPage } from './address.ts'
import type { Cdp } from './cdp.ts'
import { modes } from './modes.ts'
import { Emitter, only, onlyKeys } from './only.ts'
import type { PageRequest } from './page.ts'

type PermissionCheck = NonNullable<Parameters<Electron.Session['setPermissionCheckHandler']>[0]>
type PermissionRequest = NonNullable<Parameters<Electron.Session['setPermissionRequestHandler']>[0]>
type BeforeRequest = (
  details: Electron.OnBeforeRequestListenerDetails,
  answer: (response: Electron.CallbackResponse) => void,
) => void

/** Electron's own state at the start: spelling is checked, and its dictionaries are downloaded. */
const startOfSpelling = { enabled: true, languages: ['en-US'] }

type Known =
  | 'setPermissionCheckHandler'
  | 'setPermissionRequestHandler'
  | 'setDevicePermissionHandler'
  | 'setSpellCheckerEnabled'
  | 'setSpellCheckerLanguages'
  | 'isSpellCheckerEnabled'
  | 'getSpellCheckerLanguages'
  | 'availableSpellCheckerLanguages'
  | 'resolveProxy'
  | 'setProxy'

/** One session. Those of partitions have a Chromium of their own, because its flags set the proxy. */
export class StandInSession extends Emitter implements Pick<Electron.Session, Known> {
  readonly availableSpellCheckerLanguages = ['de', 'en-GB', 'en-US', 'fr']
  /** Null: the default session. */
  readonly partition: string | null
  readonly schemes = new Map<string, SchemeHandler>()
  readonly handlers: {
    check: PermissionCheck | null
    request: PermissionRequest | null
    beforeRequest: BeforeRequest | null
  } = { check: null, request: null, beforeRequest: null }
  /** Chromium's flags for the proxy. */
  proxyFlags: readonly string[] = []
  readonly webRequest = only('webRequest', {
    onBeforeRequest: (...args: [BeforeRequest | null] | [Electron.WebRequestFilter, BeforeRequest | null]) => {
      if (args.length !== 1) throw new Error('The stand-in for electron knows no filter of onBeforeRequest')
      this.handlers.beforeRequest = args[0]
    },
  } satisfies Pick<Electron.WebRequest, 'onBeforeRequest'>)
  readonly protocol = only('protocol', {
    handle: (scheme: string, handler: SchemeHandler) => {
      if (!privileged.has(scheme))
        throw new Error(`The stand-in for electron serves registered schemes, not "${scheme}"`)
      if (this.schemes.has(scheme)) throw new Error(`The scheme "${scheme}" is handled already`)
      this.schemes.set(scheme, handler)
    },
  } satisfies Pick<Electron.Protocol, 'handle'>)
  private readonly spelling = { ...startOfSpelling }

  constructor(partition: string | null) {
    super(['will-download'])
    this.partition = partition
  }

  setSpellCheckerEnabled(enable: boolean): void {
    this.spelling.enabled = enable
  }

  setSpellCheckerLanguages(languages: string[]): void {
    this.spelling.languages = languages
  }

  isSpellCheckerEnabled(): boolean {
    return this.spelling.enabled
  }

  getSpellCheckerLanguages(): string[] {
    return this.spelling.languages
  }

  resolveProxy(): Promise<string> {
    return Promise.resolve(modes.proxy ?? 'DIRECT')
  }

  async setProxy(config: Electron.ProxyConfig): Promise<void> {
    onlyKeys('setProxy', config, ['mode', 'proxyRules', 'proxyBypassRules'])
    if (this.partition === null) throw new Error('The stand-in for electron sets a proxy of a partition alone')
    if (config.mode !== 'fixed_servers') throw new Error('The stand-in for electron knows fixed servers alone')
    const { proxyRules = '', proxyBypassRules = '' } = config
    // The replies of the schemes come from a server on loopback.
    const bypass = [proxyBypassRules, '*.app.localhost'].filter((rule) => rule !== '').join(';')
    this.proxyFlags = [`--proxy-server=${proxyRules}`, `--proxy-bypass-list=${bypass}`]
  }

  setPermissionCheckHandler(handler: PermissionCheck | null): void {
    this.handlers.check = handler
  }

  setPermissionRequestHandler(handler: PermissionRequest | null): void {
    this.handlers.request = handler
  }

  setDevicePermissionHandler(handler: Parameters<Electron.Session['setDevicePermissionHandler']>[0]): void {
    // No device is attached to this Chromium, so the handler is never called.
    if (handler !== null && typeof handler !== 'function') throw new TypeError('a function or null')
  }
}

/** Schemes that were registered before `ready`. */
export const privileged = new Set<string>()
export const defaultSession = only('Session', new StandInSession(null))
const partitions = new Map<string, StandInSession>()

/** The session of a partition, which is created by the first call. */
export function sessionOf(partition: string): StandInSession {
  const known = partitions.get(partition) ?? only('Session', new StandInSession(partition))
  partitions.set(partition, known)
  return known
}

const resourceTypes: Record<string, Electron.OnBeforeRequestListenerDetails['resourceType']> = {
  Document: 'mainFrame',
  Stylesheet: 'stylesheet',
  Script: 'script',
  Image: 'image',
  Font: 'font',
  Media: 'media',
  XHR: 'xhr',
  Fetch: 'xhr',
  Ping: 'ping',
  CSPViolationReport: 'cspReport',
  WebSocket: 'webSocket',
}

/** The details of a request for `webRequest.onBeforeRequest`. */
export async function isCancelled(
  { handlers: { beforeRequest } }: StandInSession,
  { url, method, resourceType, referrer }: PageRequest,
): Promise<boolean> {
  if (!beforeRequest) return false
  const details: Electron.OnBeforeRequestListenerDetails = {
    id: 0,
    url,
    method,
    referrer,
    resourceType: resourceTypes[resourceType] ?? 'other',
    timestamp: Date.now(),
    uploadData: [],
  }
  const answer = await new Promise<Electron.CallbackResponse>((resolve) => {
    beforeRequest(details, resolve)
  })
  if (answer.redirectURL !== undefined) throw new Error('The stand-in for electron redirects no request')
  return answer.cancel ?? false
}

type Permission = Parameters<PermissionCheck>[1]
type MediaType = 'audio' | 'video'

/** Chromium's names of Electron's permissions. */
const permissions: { chromium: string; electron: Permission; media?: MediaType }[] = [
  { chromium: 'microphone', electron: 'media', media: 'audio' },
  { chromium: 'camera', electron: 'media', media: 'video' },
  { chromium: 'geolocation', electron: 'geolocation' },
  { chromium: 'notifications', electron: 'notifications' },
  { chromium: 'clipboard-read', electron: 'clipboard-read' },
  { chromium: 'clipboard-write', electron: 'clipboard-sanitized-write' },
  { chromium: 'midi', electron: 'midi' },
  { chromium: 'local-fonts', electron: 'local-fonts' },
  { chromium: 'idle-detection', electron: 'idle-detection' },
  { chromium: 'window-management', electron: 'window-management' },
]

/**
 * Calls both handlers for each permission on behalf of the page's main frame, and sets the results in Chromium. DevTools can set a permission
 * in advance only, not when a page requests it.
 */
export async function settlePermissions(
  cdp: Cdp,
  { handlers }: StandInSession,
  contents: Electron.WebContents,
  page: string,
): Promise<void> {
  const origin = new URL(toPage(page)).origin
  for (const { chromium, electron, media } of permissions) {
    const from = { isMainFrame: true, requestingUrl: page }
    const securityOrigin = `${page.split('/', 3).join('/')}/`
    const checked =
      handlers.check?.(contents, electron, securityOrigin, {
        ...from,
        ...(media && { mediaType: media, securityOrigin }),
      }) ?? true
    const { request } = handlers
    const granted =
      !request ||
      (await new Promise<boolean>((resolve) => {
        request(contents, electron, resolve, { ...from, ...(media && { mediaTypes: [media], securityOrigin }) })
      }))
    await cdp.send('Browser.setPermission', {
      permission: { name: chromium },
      setting: checked && granted ? 'granted' : 'denied',
      origin,
    })
  }
}

/** A request as `protocol.handle` passes it on: Electron removes the origin "null" of sandboxed frames. */
export function requestFor(input: string | Request, init?: RequestInit): Request {
  const request = new Request(input, init)
  if (request.headers.get('origin') === 'null') request.headers.delete('origin')
  return request
}

export type SchemeHandler = Parameters<Electron.Protocol['handle']>[1]
// Tests replace a handler to see how the page reacts to a reply.
Object.assign(globalThis, { handlers: defaultSession.schemes })
