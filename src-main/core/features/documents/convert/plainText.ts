import { analyse } from 'chardet'
import { textEncodings } from '../../../../../src-preload/contract/documents.ts'
import type { Note } from '../../../../../src-preload/contract/note.ts'
import { badInput, note } from '../../../shared/notes.ts'

/** Bytes that are examined to guess an encoding. */
const sampleBytes = 128 * 1024

/** A decoded text. */
export interface DecodedText {
  text: string
  /** Name of the encoding, such as `UTF-8`. */
  encoding: string
  /** What was changed. */
  notes: Note[]
}

/**
 * Decodes text in any common encoding: by its byte order mark, as UTF-8 when it is valid or nearly all of it is, and otherwise by the frequency of
 * letters.
 * @param chosen the encoding that a person chose, which is used whatever the bytes are
 * @throws StudioError `bad_input` for a file that is not text
 */
export function decodeText(
  bytes: Uint8Array,
  { declared = null, chosen = null }: { declared?: string | null; chosen?: string | null } = {},
): DecodedText {
  const encoding = chosen ?? encodingOf(bytes, declared)
  const text = decode(bytes, encoding)
  const wrong = encoding === 'UTF-8' && text.includes('\ufffd') ? utf8Bytes(bytes).wrong : 0
  if (chosen === null && isBinary(text, wrong === 0)) throw notText()
  const notes = [
    ...(encoding === 'UTF-8' ? [] : [note('document.encoding', { encoding })]),
    ...(wrong === 0 ? [] : [note('document.utf8', { figure: wrong })]),
  ]
  return { text: text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n'), encoding, notes }
}

const notText = (): Error => badInput(note('unreadable.noType'))

function encodingOf(bytes: Uint8Array, declared: string | null): string {
  const [a, b, c, d] = bytes
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return 'UTF-32LE'
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return 'UTF-32BE'
  if (a === 0xff && b === 0xfe) return 'UTF-16LE'
  if (a === 0xfe && b === 0xff) return 'UTF-16BE'
  const wide = wideEncoding(bytes)
  if (wide !== null) return wide
  if (isNearlyUtf8(bytes)) return 'UTF-8'
  return offeredName(declared !== null && isSupported(declared) ? declared : guessed(bytes.subarray(0, sampleBytes)))
}

/** The name under which the encoding can be chosen again: in the Encoding Standard, ISO-8859-1 is a label of windows-1252. */
function offeredName(label: string): string {
  const { encoding } = new TextDecoder(label)
  return textEncodings.find((name) => name.toLowerCase() === encoding) ?? label
}

/** Letters of two bytes of an encoding of Chinese, Japanese or Korean: whether a pair is one of its frequent letters. */
type Frequent = (lead: number, trail: number) => boolean

/**
 * The frequent letters of each encoding, which its standard lists first: GB 2312 level 1, Big5 level 1, the syllables of KS X 1001, and kana with
 * JIS X 0208 level 1. Of equally good encodings, the first is the more probable one.
 */
const frequent: Readonly<Record<string, Frequent>> = {
  'EUC-KR': (lead, trail) => lead >= 0xb0 && lead <= 0xc8 && trail >= 0xa1,
  GB18030: (lead, trail) => lead >= 0xb0 && lead <= 0xd7 && trail >= 0xa1,
  Big5: (lead) => lead >= 0xa4 && lead <= 0xc6,
  Shift_JIS: (lead) => lead === 0x82 || lead === 0x83 || (lead >= 0x88 && lead <= 0x97),
  'EUC-JP': (lead, trail) => (lead === 0xa4 || lead === 0xa5 || (lead >= 0xb0 && lead <= 0xcf)) && trail >= 0xa1,
}

/** The most frequent syllables of Korean. Chinese text in GB 2312 may have bytes of Korean syllables only, but these are rare ones then. */
const koreanSyllables = new Set(
  '이다는의가을를에하고기지로사어리인서시대한도자부나아정그라장일수보스전주해은들있과으게면여만원상제적구조선모오공안연동성세미거학체당신용국위간회우름트파',
)
/** Least share of these syllables in Korean text. */
const koreanShare = 0.2

function isKorean(sample: Uint8Array): boolean {
  const letters = Array.from(new TextDecoder('euc-kr').decode(sample)).filter(
    (one) => one >= '\uac00' && one <= '\ud7a3',
  )
  return letters.filter((one) => koreanSyllables.has(one)).length >= letters.length * koreanShare
}

/** Kana of EUC-JP. The same bytes are letters of Big5 too, but of these at most about a tenth in Chinese text. */
const isKana: Frequent = (lead, trail) => (lead === 0xa4 || lead === 0xa5) && trail >= 0xa1 && trail <= 0xf6
/** Least share of kana in short Japanese text. */
const kanaShare = 0.6

/** Letters from which the rows of a short text are evidence against a guess of a European encoding. */
const enoughLetters = 4
/** Confidence of `chardet`, 0 to 100, that says no more than that all bytes are possible. */
const nothingKnown = 10
/** Confidence of `chardet` that the rows of a few letters do not outweigh. */
const sure = 50

/** The encoding by the frequency of letters (`chardet`), and for a few Chinese, Japanese or Korean letters by their rows in the standards. */
function guessed(sample: Uint8Array): string {
  const guesses = analyse(sample).filter(({ name }) => !/^(?:UTF|ASCII)/.test(name) && isSupported(name))
  const [best] = guesses
  if (best === undefined) return 'windows-1252'
  if (best.confidence > sure) return best.name
  const possible = new Set<string>(guesses.map(({ name }) => name))
  const kana = pairsOf(sample, isKana)
  const isJapanese = kana.letters >= enoughLetters && kana.common >= kana.letters * kanaShare
  if (isJapanese && possible.has('EUC-JP')) return 'EUC-JP'
  let found: { name: string; share: number; letters: number } | null = null
  for (const [name, isFrequent] of Object.entries(frequent)) {
    if (!possible.has(name) || (name === 'EUC-KR' && !isKorean(sample))) continue
    const { letters, common } = pairsOf(sample, isFrequent)
    const share = letters === 0 ? 0 : common / letters
    if (share > (found?.share ?? 0)) found = { name, share, letters }
  }
  const isKnown = best.confidence > nothingKnown
  if (found && found.share >= 0.9 && (!isKnown || found.letters >= enoughLetters)) return found.name
  // All that is left are encodings whose every byte is possible.
  return isKnown ? best.name : 'windows-1252'
}

/** Counts the letters of two bytes, and those that are frequent. Punctuation and full-width forms (rows A1 to A3, 81) are in all encodings. */
function pairsOf(sample: Uint8Array, isFrequent: Frequent): { letters: number; common: number } {
  const count = { letters: 0, common: 0 }
  for (let at = 0; at + 1 < sample.length; at += 1) {
    const [lead = 0, trail = 0] = [sample[at], sample[at + 1]]
    if (lead < 0x81) continue
    at += 1
    if (lead === 0x81 || (lead >= 0xa1 && lead <= 0xa3)) continue
    count.letters += 1
    if (isFrequent(lead, trail)) count.common += 1
  }
  return count
}

/** UTF-16 without a byte order mark: every second byte of Latin text is zero. */
function wideEncoding(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, 4096)
  if (sample.length < 4 || bytes.length % 2 !== 0) return null
  const zeros = [0, 0]
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const half = sample.length / 2
  const [even = 0, odd = 0] = zeros
  if (odd > half * 0.4 && even < half * 0.05) return 'UTF-16LE'
  return even > half * 0.4 && odd < half * 0.05 ? 'UTF-16BE' : null
}

/**
 * Whether bytes are UTF-8, perhaps with a few wrong ones: at most one for each ten bytes of letters beyond ASCII. In other encodings hardly any
 * pair of such bytes is valid UTF-8.
 */
function isNearlyUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    const { right, wrong } = utf8Bytes(bytes)
    return right > 0 && wrong * 10 <= right
  }
}

/** Counts the bytes beyond ASCII in valid and in invalid sequences. A letter that is cut off at the end counts as neither. */
function utf8Bytes(bytes: Uint8Array): { right: number; wrong: number } {
  const count = { right: 0, wrong: 0 }
  for (let at = 0; at < bytes.length; at += 1) {
    const lead = bytes[at] ?? 0
    if (lead < 0x80) continue
    const more = bytesAfter(lead)
    let there = 0
    while (there < more && ((bytes[at + there + 1] ?? 0) & 0xc0) === 0x80) there += 1
    const isCutOff = there < more && at + there + 1 >= bytes.length
    at += there
    if (isCutOff) continue
    if (more > 0 && there === more) count.right += more + 1
    else count.wrong += there + 1
  }
  return count
}

/** How many bytes follow the first byte of a letter in UTF-8. 0: no letter begins with this byte (RFC 3629). */
function bytesAfter(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 0
  if (lead < 0xe0) return 1
  return lead < 0xf0 ? 2 : 3
}

function isSupported(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding !== ''
  } catch {
    return false
  }
}

function decode(bytes: Uint8Array, encoding: string): string {
  if (!encoding.startsWith('UTF-32')) return new TextDecoder(encoding).decode(bytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const pieces: string[] = []
  for (let at = 4; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, encoding === 'UTF-32LE')
    pieces.push(code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd')
  }
  return pieces.join('')
}

/** Whether a decoded file is not text: it has zero characters, or many control characters or, unless they are known, invalid sequences. */
function isBinary(text: string, withInvalid: boolean): boolean {
  // Escape sequences of terminals occur in logs.
  const sample = text.slice(0, 64 * 1024).replaceAll('\u001b', '')
  if (sample.includes('\0')) return true
  const odd = sample.match(withInvalid ? /[^\P{Cc}\t\n\r\f\v]|\ufffd/gu : /[^\P{Cc}\t\n\r\f\v]/gu)?.length ?? 0
  return odd > Math.max(8, sample.length * 0.02)
}
