import { createRequire } from 'node:module'
import { unexpected } from '../../shared/unexpected.ts'

/** Longest run of letters, signs or white space that is one word, code points: the length of the longest token, in bytes. */
const maxWord = 128
/**
 * Longest piece of a word that is merged, bytes: a space and the longest run of ASCII. Merging is quadratic in the length of a piece, so no
 * piece may be longer, whatever it consists of: white space, one character, Chinese.
 */
const maxPiece = maxWord + 1

/** Text that is counted exactly, UTF-16 units: 5 to 100 ms of work, most for rare characters. A longer text is estimated from samples. */
export const maxCounted = 40_000
/** Length of such a sample, UTF-16 units: a multiple of the longest run, so that one-character texts are estimated exactly. */
const sampleLength = 8 * maxWord

/** Average characters of a token, for a count without the vocabulary. */
const charactersEach = 4

/** How cl100k_base divides a text into words, with a limit for each repetition. Control tokens such as `<|endoftext|>` are ordinary text. */
const words = new RegExp(
  [
    `'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE])`,
    String.raw`[^\r\n\p{L}\p{N}]?\p{L}{1,${maxWord}}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]{1,${maxWord}}[\r\n]{0,${maxWord}}`,
    String.raw`\s{1,${maxWord}}$`,
    String.raw`\s{0,${maxWord - 1}}[\r\n]`,
    String.raw`\s{1,${maxWord}}(?!\S)`,
    String.raw`\s`,
  ].join('|'),
  'gu',
)

/** The rank of each token of cl100k_base, by its bytes as Latin-1 characters. A pair with a lower rank is merged earlier. */
type Ranks = ReadonlyMap<string, number>

let ranks: Ranks | null = null

function load(): Ranks {
  const require = createRequire(import.meta.url)
  const {
    default: tokens,
  }: typeof import('gpt-tokenizer/bpeRanks/cl100k_base') = require('gpt-tokenizer/bpeRanks/cl100k_base')
  const loaded = new Map<string, number>()
  // Bytes that are not UTF-8 by themselves are listed as numbers.
  for (const [rank, token] of tokens.entries()) {
    loaded.set(typeof token === 'string' ? bytesOf(token) : Buffer.from(token).toString('latin1'), rank)
  }
  return loaded
}

/** The UTF-8 bytes of a text as Latin-1 characters. */
const bytesOf = (text: string): string =>
  Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')

/** Loads the vocabulary early, while the program is idle: loading blocks it for 60 to 130 ms. */
export function loadTokenizer(): void {
  ranks ??= load()
}

/**
 * Counts tokens with cl100k_base: close enough for any model, and half the size of o200k_base. The work is linear: for any text at most
 * about six times that of English text of as many bytes, and bounded by `most`. Words over 129 bytes are counted in pieces. That adds under
 * 2 % to Chinese or Thai without spaces, up to 13 % to runs of one rare character, and nothing to other text. The first call loads the
 * vocabulary synchronously, because the log row needs the count at the end of a request. Loading takes about 60 ms and 20 MB.
 * @param most UTF-16 units that are read. A longer text is estimated from evenly spread samples, within 3 % for text of one kind
 */
export function countTokens(text: string, most = maxCounted): number {
  if (text === '') return 0
  if (text.length <= most) return counted(text)
  const length = Math.min(sampleLength, Math.max(1, most))
  const samples = Math.max(1, Math.floor(most / length))
  // In the middle of as many equal sections, so that a single sample is neither the start nor the end.
  const section = text.length / samples
  let tokens = 0
  for (let sample = 0; sample < samples; sample += 1) {
    const at = Math.floor(sample * section + (section - length) / 2)
    tokens += counted(text.slice(at, at + length))
  }
  return Math.ceil((tokens * text.length) / (samples * length))
}

/**
 * Estimated tokens of several texts together, from at most about `maxCounted` UTF-16 units of them. Each text has its own language or is
 * code, so the same share of each long text is read, and the same share of the short ones, of which some are read and others are not.
 */
export function estimateTokens(texts: readonly string[]): number {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  const share = Math.min(1, maxCounted / Math.max(1, length))
  let tokens = 0
  const short = { characters: 0, represented: 0, tokens: 0, due: 0 }
  for (const text of texts) {
    const own = Math.floor(text.length * share)
    if (share === 1 || own >= sampleLength) {
      tokens += countTokens(text, own)
      continue
    }
    short.characters += text.length
    short.due += text.length * share
    const most = Math.min(text.length, sampleLength)
    if (short.due < most) continue
    short.due -= most
    short.tokens += countTokens(text, most)
    short.represented += text.length
  }
  if (short.represented === 0) return tokens + Math.ceil(short.characters / charactersEach)
  return tokens + Math.ceil((short.tokens * short.characters) / short.represented)
}

function counted(text: string): number {
  try {
    ranks ??= load()
  } catch (thrown) {
    // Loading fails for instance without free file descriptors. The reply is complete all the same, and its tokens are an estimate anyway.
    unexpected('The tokenizer could not be loaded', thrown)
    return Math.ceil(text.length / charactersEach)
  }
  let tokens = 0
  for (const [word] of text.matchAll(words)) {
    const bytes = bytesOf(word)
    if (ranks.has(bytes)) tokens += 1
    else for (let at = 0; at < bytes.length; at += maxPiece) tokens += merged(bytes.slice(at, at + maxPiece), ranks)
  }
  return tokens
}

/** Where each part of a piece begins, and the rank of the part together with the next one. Shared, because one piece is merged at a time. */
const starts = new Int32Array(maxPiece + 1)
const pairs = new Int32Array(maxPiece + 1)
const none = 0x7fffffff

/** The number of tokens of a piece: joins the neighbours with the lowest rank until no pair is a token. */
function merged(piece: string, known: Ranks): number {
  const rank = (from: number, to: number): number => known.get(piece.slice(from, to)) ?? none
  let parts = piece.length
  for (let at = 0; at < parts; at += 1) {
    starts[at] = at
    pairs[at] = at + 2 <= parts ? rank(at, at + 2) : none
  }
  starts[parts] = parts
  const pairAt = (at: number): number => (at + 2 <= parts ? rank(starts[at] ?? 0, starts[at + 2] ?? 0) : none)
  for (;;) {
    let lowest = none
    let place = -1
    for (let at = 0; at < parts - 1; at += 1) {
      const own = pairs[at] ?? none
      if (own >= lowest) continue
      lowest = own
      place = at
    }
    if (place < 0) return parts
    for (let at = place + 1; at < parts; at += 1) {
      starts[at] = starts[at + 1] ?? 0
      pairs[at] = pairs[at + 1] ?? none
    }
    parts -= 1
    pairs[place] = pairAt(place)
    if (place > 0) pairs[place - 1] = pairAt(place - 1)
  }
}
