/**
 * Characters that can make a text look other than it is: controls (but tab and line ends), overrides and isolates of direction, spaces
 * without width, tag characters. Joiners stay, since emoji and several scripts need them.
 */
const unseen =
  /(?![\t\n])\p{Cc}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

/** A stranger's text with everything unseen written out, such as `\u{202E}`: what is shown is what is there. */
export function plainText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(unseen, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}}`)
}
