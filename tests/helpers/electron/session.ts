import type * as Electron from 'electron'
import { toPage } from './address.ts'
import type { Cdp } from './cdp.ts'
import { modes } from './modes.ts'
import { only } from './only.ts'
import type { PageRequest } from './page.ts'

type PermissionCheck = NonNullable<Parameters<Electron.Session['setPermissionCheckHandler']>[0]>
type PermissionRequest = NonNullable<Parameters<Electron.Session['setPermissionRequestHandler']>[0]>
type BeforeRequest = (
  details: Electron.OnBeforeRequestListenerDetails,
  answer: (response: Electron.CallbackResponse) => void,
) => void

const handlers: {
  check: PermissionCheck | null
  request: PermissionRequest | null
  beforeRequest: BeforeRequest | null
} = { check: null, request: null, beforeRequest: null }

/** Electron's own state at the start: spelling is checked, and its dictionaries are downloaded. */
const spelling: { enabled: boolean; languages: string[] } = { enabled: true, languages: ['en-US'] }

const webRequest = only('webRequest', {
  onBeforeRequest(...args: [BeforeRequest | null] | [Electron.WebRequestFilter, BeforeRequest | null]) {
    if (args.length !== 1) throw new Error('The stand-in for electron knows no filter of onBeforeRequest')
    handlers.beforeRequest = args[0]
  },
} satisfies Pick<Electron.WebRequest, 'onBeforeRequest'>)

export const defaultSession = only('Session', {
  webRequest,
  availableSpellCheckerLanguages: ['de', 'en-GB', 'en-US', 'fr'],
  setSpellCheckerEnabled(enable) {
    spelling.enabled = enable
  },
  setSpellCheckerLanguages(languages) {
    spelling.languages = languages
  },
  isSpellCheckerEnabled: () => spelling.enabled,
  getSpellCheckerLanguages: () => spelling.languages,
  resolveProxy: () => Promise.resolve(modes.proxy ?? 'DIRECT'),
  setPermissionCheckHandler(handler) {
    handlers.check = handler
  },
  setPermissionRequestHandler(handler) {
    handlers.request = handler
  },
  setDevicePermissionHandler(handler) {
    // No device is attached to this Chromium, so the handler is never called.
    if (handler !== null && typeof handler !== 'function') throw new TypeError('a function or null')
  },
} satisfies Pick<
  Electron.Session,
  | 'setPermissionCheckHandler'
  | 'setPermissionRequestHandler'
  | 'setDevicePermissionHandler'
  | 'setSpellCheckerEnabled'
  | 'setSpellCheckerLanguages'
  | 'isSpellCheckerEnabled'
  | 'getSpellCheckerLanguages'
  | 'availableSpellCheckerLanguages'
  | 'resolveProxy'
> & { webRequest: Pick<Electron.WebRequest, 'onBeforeRequest'> })

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
export async function isCancelled({ url, method, resourceType, referrer }: PageRequest): Promise<boolean> {
  const { beforeRequest } = handlers
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
export async function settlePermissions(cdp: Cdp, contents: Electron.WebContents, page: string): Promise<void> {
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
export const schemes = new Map<string, SchemeHandler>()
// Tests replace a handler to see how the page reacts to a reply.
Object.assign(globalThis, { handlers: schemes })
