import type { Session } from 'electron'
import { expect, test } from 'vitest'
import { guardPermissions } from '../../../src-main/hosts/electron/permissions.ts'

type Request = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>
type Check = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>
type Device = NonNullable<Parameters<Session['setDevicePermissionHandler']>[0]>

/** The three handlers, tested separately, because Electron calls one or the other depending on the permission. */
const handlers: { request?: Request | null; check?: Check | null; device?: Device | null } = {}
guardPermissions({
  setPermissionRequestHandler: (handler) => Object.assign(handlers, { request: handler }),
  setPermissionCheckHandler: (handler) => Object.assign(handlers, { check: handler }),
  setDevicePermissionHandler: (handler) => Object.assign(handlers, { device: handler }),
})

interface Asked {
  permission: Parameters<Check>[1]
  media?: ('audio' | 'video')[]
  from?: string
  isMainFrame?: boolean
}
const ours = 'app://studio/index.html'
// Neither handler uses the requesting web contents.
const contents = {} as Parameters<Request>[0]

function requested({ permission, media, from = ours, isMainFrame = true }: Asked): boolean | undefined {
  let answer: boolean | undefined
  const details = { isMainFrame, requestingUrl: from, ...(media && { mediaTypes: media }) }
  handlers.request?.(
    contents,
    permission,
    (granted) => {
      answer = granted
    },
    details,
  )
  return answer
}

function checked({ permission, media, from = ours, isMainFrame = true }: Asked): boolean | undefined {
  const [mediaType] = media ?? []
  return handlers.check?.(contents, permission, from, {
    isMainFrame,
    requestingUrl: from,
    ...(mediaType && { mediaType }),
  })
}

const allowed: Asked[] = [{ permission: 'media', media: ['audio'] }, { permission: 'clipboard-sanitized-write' }]
const denied: Asked[] = [
  { permission: 'media', media: ['video'] },
  { permission: 'media' },
  { permission: 'geolocation' },
  { permission: 'notifications' },
  { permission: 'clipboard-read' },
  { permission: 'unknown' },
]

test('both handlers allow the microphone and Copy to the main frame of our own page, and to nobody else', () => {
  for (const asked of allowed) {
    for (const answer of [requested, checked]) {
      expect(answer(asked), asked.permission).toBe(true)
      expect(answer({ ...asked, isMainFrame: false }), asked.permission).toBe(false)
      for (const from of ['https://a.example/', 'app://studio.evil/', 'app://other/index.html', '']) {
        expect(answer({ ...asked, from }), from).toBe(false)
      }
    }
  }
})

test('both handlers deny everything else', () => {
  for (const asked of denied) {
    expect(requested(asked), asked.permission).toBe(false)
    expect(checked(asked), asked.permission).toBe(false)
  }
  expect(requested({ permission: 'media', media: ['audio', 'video'] })).toBe(false)
  expect(
    handlers.device?.({ deviceType: 'usb', origin: 'app://studio', device: {} as Parameters<Device>[0]['device'] }),
  ).toBe(false)
})

test('the page gets the microphone only if the system lets this program use it', async () => {
  let ask: Request | null | undefined
  let isAllowed = false
  guardPermissions(
    {
      setPermissionRequestHandler(handler) {
        ask = handler
      },
      setPermissionCheckHandler: () => undefined,
      setDevicePermissionHandler: () => undefined,
    },
    async () => isAllowed,
  )
  const answered = (permission: 'media' | 'clipboard-sanitized-write'): Promise<boolean> =>
    new Promise((resolve) => {
      const media = permission === 'media' ? { mediaTypes: ['audio' as const] } : {}
      ask?.(contents, permission, resolve, { isMainFrame: true, requestingUrl: ours, ...media })
    })
  expect(await answered('media')).toBe(false)
  expect(await answered('clipboard-sanitized-write')).toBe(true)
  isAllowed = true
  expect(await answered('media')).toBe(true)
})
