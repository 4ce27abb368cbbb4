import type { DialectId, LocalRoute } from './types.ts'

/** A path that the dialect does not have here. @param message the reason, in a sentence */
export const refusePath = (dialect: DialectId, status: 400 | 404, message: string): LocalRoute => ({
  dialect,
  action: 'refuse',
  status,
  message,
})

/** A method that a path does not have. @param allow the methods that it has, as in the header `Allow` */
export const refuseMethod = (
  dialect: DialectId,
  allow: string,
  message = `Only ${allow} is supported at this path.`,
): LocalRoute => ({ dialect, action: 'refuse', status: 405, message, allow })

/**
 * The name that a path has from its third segment on, as the app wrote it: names have capitals, and may have slashes. The path of a request that
 * is going to be refused may have a broken percent-encoding, which stays.
 */
export function nameInPath(path: string): string {
  const [bare = ''] = path.split('?', 1)
  return decodedPart(bare.split('/').slice(3).join('/')).replace(/\/$/, '')
}

/** A part of a path with its percent-encoding decoded. The path of a request that is going to be refused may have a broken one. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
