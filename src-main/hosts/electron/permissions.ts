import type { Session } from 'electron'
import { isOwn } from './address.ts'

/** Everything is denied but the microphone, for our own page in the main frame. */
export function guardPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    const types = 'mediaTypes' in details ? (details.mediaTypes ?? []) : []
    const audioAlone = types.length === 1 && types[0] === 'audio'
    answer(permission === 'media' && audioAlone && details.isMainFrame && isOwn(details.requestingUrl))
  })
  session.setPermissionCheckHandler((_contents, permission, origin, details) => {
    return permission === 'media' && details.mediaType === 'audio' && details.isMainFrame && isOwn(origin)
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
