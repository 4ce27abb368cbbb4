/**
 * Characters that disguise a text: controls (except tab and line ends), direction overrides and isolates, zero-width spaces, tag
 * characters. Joiners stay, because emoji and several scripts need them.
 */
const unseen =
  /(?![\t\n])\p{Cc}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

/** Returns untrusted text with hidden characters as visible escapes, for example `\u{202E}`. */
export function plainText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(unseen, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}}`)
}
