/** What no file system or shell of today takes in a name, and what would hide or turn it. */
const awkward = /[<>:"/\\|?*\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu
/** Names that Windows keeps for devices, whatever their ending. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i

/** Words as the stem of a file's name, fit for every file system: at most `longest` characters, `otherwise` where nothing is left. */
export function fileStem(words: string, longest: number, otherwise: string): string {
  const plain = words.slice(0, 1000).replace(awkward, ' ').replace(/\s+/g, ' ').trim()
  const characters = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(plain)]
  let stem = ''
  for (const { segment } of characters.slice(0, longest)) {
    // Most file systems bound a name's bytes too, at 255.
    if (Buffer.byteLength(stem + segment) > 200) break
    stem += segment
  }
  stem = stem.replace(/^[.\s]+|[.\s]+$/g, '')
  return stem === '' || devices.test(stem) ? otherwise : stem
}
