import type { Cue } from '../../../../src-preload/contract/transcription.ts'

/** Latest start of a cue in seconds (three years). Later times are invalid. */
const latest = 100_000_000

/**
 * Normalizes cues for storage and export. Times are in whole milliseconds, with the end after the start, and sorted. Texts have no
 * control characters, empty lines or trailing spaces, so that every file format can contain them. Drops cues without text.
 */
export function tidyCues(cues: readonly Cue[]): Cue[] {
  return cues
    .flatMap(({ from, to, text }) => {
      const words = tidyText(text)
      if (words === '' || !(from < latest && to < latest)) return []
      const start = Math.max(0, Math.round(from * 1000))
      return [{ from: start / 1000, to: Math.max(start + 1, Math.round(to * 1000)) / 1000, text: words }]
    })
    .sort((a, b) => a.from - b.from)
}

function tidyText(text: string): string {
  return clean(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}

/** All control characters except line feed and tab. */
const controls = /(?![\n\t])\p{Cc}/gu

/** Normalizes line ends, and removes control characters and lone surrogates. */
export const clean = (text: string): string => text.replace(/\r\n?/g, '\n').replace(controls, '').toWellFormed()

/** Scripts without spaces between words, and their punctuation. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\u3000-\u303f\uff00-\uff65]/u

/** Joins the texts of cues, with a space between them if the script uses spaces. */
export function joinCues(cues: readonly Pick<Cue, 'text'>[]): string {
  const pieces: string[] = []
  let last = ''
  for (const { text } of cues) {
    // Not /\s*\n\s*/, which is quadratic in the length of white space without a line end.
    const next = text.replace(/\s+/g, (run) => (run.includes('\n') ? ' ' : run)).trim()
    if (next === '') continue
    const between = last === '' || (spaceless.test(last) && spaceless.test(firstOf(next))) ? '' : ' '
    pieces.push(between, next)
    last = lastOf(next)
  }
  return pieces.join('')
}

const firstOf = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 32)
const lastOf = (text: string): string => Array.from(text.slice(-2)).at(-1) ?? ''
