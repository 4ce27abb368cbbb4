import { attention } from 'micromark-core-commonmark'
import { classifyCharacter } from 'micromark-util-classify-character'
import type { Code, Construct, Extension, TokenizeContext } from 'micromark-util-types'
import { filtered } from './filtered.ts'

const letters =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Hang}\p{sc=Yiii}\u2e80-\u303f\u3190-\u319f\u31c0-\u33ff\ufe30-\ufe4f\uff00-\uffef]/u
/** First halves of the characters of the planes 2 and 3, which are all Han. */
const isHanHalf = (code: number): boolean => code >= 0xd840 && code <= 0xd8bf

/** Letters and punctuation of Chinese, Japanese and Korean, and full-width forms. */
const isCjk = (code: Code): boolean =>
  code !== null && code >= 0x1100 && (isHanHalf(code) || letters.test(String.fromCharCode(code)))

/** Dashes, quotation marks and ellipses that these scripts share with others. */
const isSharedPunctuation = (code: Code): boolean => code !== null && code >= 0x2010 && code <= 0x205e

/** The end of the ASCII beginning of an address. RFC 3986 allows nothing else in one. */
export const addressEnd = new RegExp(
  `${letters.source.slice(0, -1)}\\u2010-\\u205e]|[\\ud840-\\ud8bf][\\udc00-\\udfff]`,
  'u',
)

/** A literal address that ends where CJK text follows it without a space. */
export const endsBeforeCjk = (construct: Construct): Construct =>
  filtered(construct, (code) => (isCjk(code) || isSharedPunctuation(code) ? 32 : code))

/** The character before, whole where it is the second half of one. */
function previousOf({ previous, now, sliceSerialize }: TokenizeContext): Code {
  if (previous === null || previous < 0xdc00 || previous > 0xdfff) return previous
  const end = now()
  const first = sliceSerialize({ start: { ...end, _bufferIndex: end._bufferIndex - 2 }, end }).charCodeAt(0)
  return isHanHalf(first) ? first : previous
}

const underscore = 95
const isPunctuation = (code: Code): boolean => classifyCharacter(code) === 2
const isSpace = (code: Code): boolean => classifyCharacter(code) === 1

/**
 * Emphasis whose marks may be beside CJK punctuation: `**先说结论。**后面`. CommonMark 0.31 lets a mark next to punctuation open or close
 * only where white space or other punctuation is on its other side, and these scripts have no spaces. The amendment
 * (https://github.com/tats-u/markdown-cjk-friendly) counts CJK punctuation as letters, and CJK letters like white space.
 */
export function besideCjk(marks: Construct): Construct {
  return {
    ...marks,
    tokenize(effects, ok, nok) {
      const before = previousOf(this)
      let mark: Code = null
      const start = marks.tokenize.call(
        this,
        effects,
        (after) => {
          const token = this.events.at(-1)?.[1]
          if (token && (isCjk(before) || isCjk(after))) {
            const isOther = (code: Code): boolean => isPunctuation(code) && !isCjk(code)
            const left = !isSpace(after) && (!isOther(after) || isSpace(before) || isOther(before) || isCjk(before))
            const right = !isSpace(before) && (!isOther(before) || isSpace(after) || isOther(after) || isCjk(after))
            const isInWord = mark === underscore
            token._open = left && (!isInWord || !right || isSpace(before) || isPunctuation(before))
            token._close = right && (!isInWord || !left || isSpace(after) || isPunctuation(after))
          }
          return ok(after)
        },
        nok,
      )
      return (code) => {
        mark = code
        return start(code)
      }
    },
  }
}

const emphasis = besideCjk(attention)
/** `*` and `_` beside CJK text. */
export const cjkEmphasis: Extension = { text: { 42: emphasis, [underscore]: emphasis } }
