import { createRequire } from 'node:module'
import { unexpected } from '../../shared/unexpected.ts'

type Encoding = typeof import('gpt-tokenizer/encoding/cl100k_base')

/** Byte-pair merging is quadratic in the length of a run without spaces, so hostile runs are counted in slices. UTF-16 units. */
const maxRunLength = 1024

/** Text such as `<|endoftext|>` in a reply is text, never a control token. */
const plain = { disallowedSpecial: new Set<string>() }

/** Average characters of a token, for a count without the tokenizer. */
const charactersEach = 4

let encoding: Encoding | null = null

function load(): Encoding {
  return createRequire(import.meta.url)('gpt-tokenizer/encoding/cl100k_base')
}

/** Loads the tokenizer early, while the program is idle: loading blocks it for 60 to 130 ms. */
export function loadTokenizer(): void {
  encoding ??= load()
}

/**
 * Counts tokens with cl100k_base: close enough for any model, and half the size of o200k_base. Loading it takes about 60 ms and 30 MB, once
 * and synchronously, because the log row needs the count at the end of a request.
 */
export function countTokens(text: string): number {
  if (text === '') return 0
  try {
    encoding ??= load()
  } catch (thrown) {
    // Loading fails for instance without free file descriptors. The reply is complete all the same, and its tokens are an estimate anyway.
    unexpected('The tokenizer could not be loaded', thrown)
    return Math.ceil(text.length / charactersEach)
  }
  if (text.length <= maxRunLength || !/\S{1024}/.test(text)) return encoding.countTokens(text, plain)
  let tokens = 0
  for (let at = 0; at < text.length; at += maxRunLength) {
    tokens += encoding.countTokens(text.slice(at, at + maxRunLength), plain)
  }
  return tokens
}
