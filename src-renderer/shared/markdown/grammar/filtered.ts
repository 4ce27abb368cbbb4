import type { Code, Construct, State, TokenizeContext } from 'micromark-util-types'

/**
 * A construct that sees other characters than the text has, for example the end of a line where a full-width full stop is. What it
 * consumes is the text itself. @param see the character to show in place of `code`
 */
export function filtered(construct: Construct, see: (this: TokenizeContext, code: Code) => Code): Construct {
  return {
    ...construct,
    tokenize(effects, ok, nok) {
      let actual: Code = null
      let isOver = false
      const after =
        (state: State): State =>
        () => {
          isOver = true
          return state(actual)
        }
      const through =
        (state: State): State =>
        (code) => {
          actual = code
          const next = state(see.call(this, code))
          return isOver || next === undefined ? next : through(next)
        }
      const unchanged = { ...effects, consume: () => effects.consume(actual) }
      return through(construct.tokenize.call(this, unchanged, after(ok), after(nok)))
    },
  }
}
