/** Characters that a file system or shell rejects in a name, and characters that would hide or reverse parts of the name. */
const awkward = /[<>:"/\\|?*\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu
/** Names that Windows reserves for devices, with any extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i

/** Text as a file name without extension that every file system accepts: at most `longest` characters, or `otherwise` when none are left. */
export function fileStem(words: string, longest: number, otherwise: string): string {
  const plain = words.slice(0, 1000).replace(awkward, ' ').replace(/\s+/g, ' ').trim()
  const characters = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(plain)]
  let stem = ''
  for (const { segment } of characters.slice(0, longest)) {
    // Most file systems also limit a name to 255 bytes.
    if (Buffer.byteLength(stem + segment) > 200) break
    stem += segment
  }
  stem = stem.replace(/^[.\s]+|[.…\s]+$/g, '')
  return stem === '' || devices.test(stem) ? otherwise : stem
}
