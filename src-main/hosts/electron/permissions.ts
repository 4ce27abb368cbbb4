import type { Session } from 'electron'
import { isOwn } from './address.ts'

/** Chromium's own name for text put on the clipboard by a click, without a prompt in any browser: what Copy needs. */
const copying = 'clipboard-sanitized-write'

/** Everything is denied but the microphone and Copy, for our own page in the main frame. */
export function guardPermissions(
  session: Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'>,
): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    const types = 'mediaTypes' in details ? (details.mediaTypes ?? []) : []
    const audioAlone = types.length === 1 && types[0] === 'audio'
    const allowed = permission === copying || (permission === 'media' && audioAlone)
    answer(allowed && details.isMainFrame && isOwn(details.requestingUrl))
  })
  session.setPermissionCheckHandler((_contents, permission, origin, details) => {
    const allowed = permission === copying || (permission === 'media' && details.mediaType === 'audio')
    return allowed && details.isMainFrame && isOwn(origin)
  })
  session.setDevicePermissionHandler(() => false)
}

/** The page has no business with the network: the core does that. Chromium's own requests for it are cut here, CSP or not. */
export function guardNetwork(session: Session, devTools: boolean): void {
  session.webRequest.onBeforeRequest((details, answer) => {
    const inner = ['blob:', 'data:', ...(devTools ? ['devtools:'] : [])]
    answer({ cancel: !isOwn(details.url) && !inner.some((start) => details.url.startsWith(start)) })
  })
}
