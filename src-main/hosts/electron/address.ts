/** Origin of the page. `app` is a standard, secure scheme, so `location.origin` in the page is the same text. */
export const scheme = 'app'
export const ownOrigin = 'app://studio'
/** Address of the main window. */
export const ownPage = `${ownOrigin}/index.html`

/** Whether an address has our origin. Compares parts, because `URL.origin` is "null" for schemes that Node does not know. */
export function isOwn(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : null
  return url?.protocol === 'app:' && url.host === 'studio' && url.username === '' && url.password === ''
}

/** Whether an address is our page, with any fragment. */
export const isOwnPage = (address: string): boolean => address.split('#', 1)[0] === ownPage

/** The page of the quick prompt. */
export const quickPage = `${ownOrigin}/app/quick/index.html`

/** Whether an address is the page of the quick prompt, with any fragment. */
export const isQuickPage = (address: string): boolean => address.split('#', 1)[0] === quickPage

/**
 * Whether a frame may show an address: the pages of diagrams and previews, and the document inside a preview, which only the page of
 * previews can create.
 */
export const isFramePage = (address: string): boolean =>
  [`${ownOrigin}/diagram/index.html`, `${ownOrigin}/preview/index.html`, 'about:srcdoc'].includes(address)

/**
 * Normalizes an address for the default browser, or returns null. Accepts http, https and mailto without a user name or
 * password, which can make one site look like another.
 */
export function externalAddress(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url?.username !== '' || url.password !== '') return null
  if (url.protocol === 'mailto:') return url.href
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  return url.host === '' ? null : url.href
}
