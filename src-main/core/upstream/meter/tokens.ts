import { createRequire } from 'node:module'
import { unexpected } from '../../shared/unexpected.ts'

type Encoding = typeof import('gpt-tokenizer/encoding/cl100k_base')

/** Byte-pair merging is quadratic in the length of a run without spaces; hostile runs are counted in slices. UTF-16 units. */
const longestRun = 1024

/** Text such as `<|endoftext|>` in a reply is text, never a control token. */
const plain = { disallowedSpecial: new Set<string>() }

/** Characters of a token in the mean, for a count without the tokenizer. */
const charactersEach = 4

let encoding: Encoding | null = null

function load(): Encoding {
  return createRequire(import.meta.url)('gpt-tokenizer/encoding/cl100k_base')
}

/** Ahead of time, when nothing else goes on: loading holds everything up for some 60 to 130 ms. */
export function loadTokenizer(): void {
  encoding ??= load()
}

/**
 * Tokens of a text by cl100k_base: near enough for any model, and half the size of o200k_base. Loading it takes some 60 ms and
 * 30 MB, once, and synchronously: a reading is asked for when a request ends, and must stand in the books then.
 */
export function countTokens(text: string): number {
  if (text === '') return 0
  try {
    encoding ??= load()
  } catch (thrown) {
    // Such as no file descriptors left. The reply is whole all the same; its tokens are an estimate in any case.
    unexpected('The tokenizer could not be loaded', thrown)
    return Math.ceil(text.length / charactersEach)
  }
  if (text.length <= longestRun || !/\S{1024}/.test(text)) return encoding.countTokens(text, plain)
  let tokens = 0
  for (let at = 0; at < text.length; at += longestRun) {
    tokens += encoding.countTokens(text.slice(at, at + longestRun), plain)
  }
  return tokens
}
