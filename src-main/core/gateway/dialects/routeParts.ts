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

/** A part of a path with its percent-encoding decoded. The path of a request that is going to be refused may have a broken one. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
