import type { Random } from '../world/seed.ts'
import { expression, lengthOf, tooMuch } from './schemaCheck.ts'

/** Maximum length of one text: a pattern is hostile input and can require any length. */
export const MOST_CHARACTERS = 100_000

const PLAIN = Array.from('abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ')
const PRINTED = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))
const known = new Map<string, string[]>()

/** The characters that match a class or an escape (`[^a-f]`, `\W`, `\p{L}`): letters and digits if they match. */
function charactersOf(token: string): string[] {
  const found = known.get(token)
  if (found) return found
  const one = expression(`^(?:${token})$`)
  const among = (list: string[]) => list.filter((char) => one.test(char))
  let chars = among(PLAIN)
  if (chars.length === 0) chars = among(PRINTED)
  if (chars.length === 0) chars = among(Array.from({ length: 0xd800 }, (_, at) => String.fromCharCode(at)))
  if (known.size > 200) known.clear()
  known.set(token, chars)
  return chars
}

/**
 * Generates text for a pattern with literals, classes, escapes, quantifiers and groups. Ignores lookarounds and back references, so the
 * caller
 * must check the text.
 * @param wild selects random branches instead of the first ones
 * @param extra about how many characters to add to the shortest text, through quantifiers that allow more
 */
export function fromPattern(pattern: string, random: Random, wild: boolean, extra: number): string {
  let at = 0
  let made = 0
  let pool = extra
  const alternatives = (): string => {
    const before = pool
    const branches: { text: string; left: number }[] = []
    let text = ''
    for (;;) {
      const end = at >= pattern.length || pattern[at] === ')'
      if (end || pattern[at] === '|') {
        branches.push({ text, left: pool })
        if (end) break
        at += 1
        text = ''
        pool = before
      } else text += quantified()
    }
    const taken = branches[wild ? random.int(0, branches.length - 1) : 0]
    pool = taken?.left ?? before
    return taken?.text ?? ''
  }
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a parser of one pass: its parts share the place they are at
  const quantified = (): string => {
    const start = at
    const single = atom()
    const match = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(pattern.slice(at, at + 40))
    if (!match) return single
    const after = at + match[0].length
    const [, sign, from = '', comma, to = ''] = match
    const least = sign ? (sign === '+' ? 1 : 0) : Math.min(Number(from), 1_000)
    const most = sign === '?' ? 1 : sign || (comma && to === '') ? Number.POSITIVE_INFINITY : Number(to || from)
    let text = ''
    // A random draw leaves some of the extra characters to later quantifiers.
    const share = wild && random.chance(0.5) ? random.int(0, Math.max(0, pool)) : pool
    const floor = pool - share
    for (let time = 0; time < least || (time < most && pool > floor && time < MOST_CHARACTERS); time += 1) {
      at = start
      const more = atom()
      text += more
      made += more.length
      if (made > MOST_CHARACTERS) throw tooMuch()
      if (time >= least) pool -= Math.max(1, lengthOf(more))
    }
    at = after
    return text
  }
  const anyOf = (token: string): string => {
    const chars = charactersOf(token)
    return chars[random.int(0, Math.max(0, chars.length - 1))] ?? ''
  }
  const group = (): string => {
    const opening = /^\?(?:<?[=!]|:|<\w+>)/.exec(pattern.slice(at, at + 60))?.[0] ?? ''
    at += opening.length
    const text = alternatives()
    at += 1
    return /[=!]$/.test(opening) ? '' : text
  }
  const atom = (): string => {
    const rest = pattern.slice(at, at + 2_000)
    const token = /^(?:\[(?:\\.|[^\]\\])*\]|\\(?:u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|p\{[^}]*\}|.))/i.exec(rest)?.[0]
    if (token) {
      at += token.length
      return /^\\b$/i.test(token) ? '' : anyOf(token)
    }
    const char = String.fromCodePoint(pattern.codePointAt(at) ?? 120)
    at += char.length
    if (char === '^' || char === '$') return ''
    if (char === '.') return wild ? random.pick(['x', 'e', 'a', 'r', '7']) : 'x'
    return char === '(' ? group() : char
  }
  return alternatives()
}
