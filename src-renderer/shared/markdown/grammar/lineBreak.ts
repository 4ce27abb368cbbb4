import type { Extension as MdastExtension } from 'mdast-util-from-markdown'
import type { Construct, Extension, State } from 'micromark-util-types'

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    lineBreakTag: 'lineBreakTag'
  }
}

const letters = ['bB', 'rR']

/** `<br>`, `<br/>` and `<br />`: the only way to break a line in the cell of a table, and no other raw HTML. */
const lineBreakTag: Construct = {
  name: 'lineBreakTag',
  tokenize(effects, ok, nok) {
    let at = 0
    const inside: State = (code) => {
      if (code === null || code < -2) return nok(code)
      const char = code < 0 ? ' ' : String.fromCharCode(code)
      if (at < letters.length) {
        if (!letters[at]?.includes(char)) return nok(code)
        at++
      } else if (char === '>') {
        effects.consume(code)
        effects.exit('lineBreakTag')
        return ok
      } else if (at === letters.length && char === '/') at++
      else if (at > letters.length || char !== ' ') return nok(code)
      effects.consume(code)
      return inside
    }
    return (code) => {
      effects.enter('lineBreakTag')
      effects.consume(code)
      return inside
    }
  },
}

export const lineBreakSyntax: Extension = { text: { 60: lineBreakTag } }

export const lineBreakNodes: MdastExtension = {
  enter: {
    lineBreakTag(token) {
      this.enter({ type: 'break' }, token)
    },
  },
  exit: {
    lineBreakTag(token) {
      this.exit(token)
    },
  },
}
