import type { Session, SystemPreferences } from 'electron'
import { isOwn } from './address.ts'

/** Chromium's permission to write text to the clipboard after a click, which Copy needs. Browsers grant it without a prompt. */
const copying = 'clipboard-sanitized-write'

/** Allows the microphone and Copy for our page in the main frame. Denies everything else. @param microphone asks the system whether this program may use it */
export function guardPermissions(
  session: Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'>,
  microphone?: () => Promise<boolean>,
): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    const types = 'mediaTypes' in details ? (details.mediaTypes ?? []) : []
    const audioAlone = types.length === 1 && types[0] === 'audio'
    const allowed = permission === copying || (permission === 'media' && audioAlone)
    if (!allowed || !details.isMainFrame || !isOwn(details.requestingUrl)) answer(false)
    else if (permission === copying || !microphone) answer(true)
    else microphone().then(answer, () => answer(false))
  })
  session.setPermissionCheckHandler((_contents, permission, origin, details) => {
    const allowed = permission === copying || (permission === 'media' && details.mediaType === 'audio')
    return allowed && details.isMainFrame && isOwn(origin)
  })
  session.setDevicePermissionHandler(() => false)
}

/**
 * Whether the system lets this program use the microphone. macOS asks the person once, and only when the program asks; without that a
 * recording would be silent.
 */
export async function microphoneOf(
  preferences: Pick<SystemPreferences, 'askForMediaAccess'>,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  return platform !== 'darwin' || preferences.askForMediaAccess('microphone')
}

/** Blocks all network requests of the page, independent of its CSP. Only the core uses the network. @param allows own addresses */
export function guardNetwork(session: Session, devTools: boolean, allows: (address: string) => boolean = isOwn): void {
  session.webRequest.onBeforeRequest((details, answer) => {
    const inner = ['blob:', 'data:', ...(devTools ? ['devtools:'] : [])]
    answer({ cancel: !allows(details.url) && !inner.some((start) => details.url.startsWith(start)) })
  })
}
