/** Text of one event and its number of tokens (more than 1 inside a rare character). */
export interface TokenPiece {
  text: string
  tokens: number
}

export interface Tokenizer {
  count(text: string): number
  /** At most `limit` tokens of the text; `cut` is true if text was omitted. */
  pieces(text: string, limit?: number): { pieces: TokenPiece[]; tokens: number; cut: boolean }
}

/** Text such as `<|endoftext|>` in a message is text, never a control token. */
const PLAIN = { disallowedSpecial: new Set<string>() }

/**
 * Byte-pair merging is quadratic in the length of a word: a run of letters, signs or white space of any kind. So longer runs are counted in
 * pieces of 64 characters.
 */
const longRuns = /\p{L}{64}|[^\s\p{L}\p{N}]{64}|\s{64}/gu

let loading: Promise<Tokenizer> | null = null

/** Only cl100k_base: 60 ms and 30 MB to load, half of o200k_base. Loaded when first needed. */
export function loadTokenizer(): Promise<Tokenizer> {
  loading ??= import('gpt-tokenizer/encoding/cl100k_base').then(({ encode, decodeGenerator }) => {
    const tokensOf = (text: string) => slices(text).flatMap((slice) => encode(slice, PLAIN))
    return {
      count: (text) => tokensOf(text).length,
      pieces(text, limit = Number.POSITIVE_INFINITY) {
        const all = tokensOf(text)
        const kept = all.slice(0, limit)
        let taken = 0
        const counted = function* () {
          for (const token of kept) {
            taken += 1
            yield token
          }
        }
        const pieces: TokenPiece[] = []
        let before = 0
        for (const piece of decodeGenerator(counted())) {
          pieces.push({ text: piece, tokens: taken - before })
          before = taken
        }
        return { pieces, tokens: kept.length, cut: kept.length < all.length }
      },
    }
  })
  return loading
}

function slices(text: string): string[] {
  const result: string[] = []
  let from = 0
  for (const { 0: run, index } of text.matchAll(longRuns)) {
    result.push(text.slice(from, index + run.length))
    from = index + run.length
  }
  return from < text.length ? [...result, text.slice(from)] : result
}
