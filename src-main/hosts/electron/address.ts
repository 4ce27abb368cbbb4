/** The page's own origin. `app` is a standard, secure scheme, so that `location.origin` is this text in the page too. */
export const scheme = 'app'
export const ownOrigin = 'app://studio'
export const ownPage = `${ownOrigin}/index.html`

/** Whether an address is of our own page's origin. `URL.origin` is "null" for a scheme that Node does not know. */
export function isOwn(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : null
  return url?.protocol === 'app:' && url.host === 'studio' && url.username === '' && url.password === ''
}

/** The one page there is, wherever in it. */
export const isOwnPage = (address: string): boolean => address.split('#', 1)[0] === ownPage

/** The page of a diagram's frame. */
export const isDiagramPage = (address: string): boolean => address === `${ownOrigin}/diagram/index.html`

/**
 * An address that the system's browser may be given, normalised, or null: http, https and mailto alone, and none with a
 * user name or password in it, which make one site look like another.
 */
export function externalAddress(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url?.username !== '' || url.password !== '') return null
  if (url.protocol === 'mailto:') return url.href
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  return url.host === '' ? null : url.href
}
