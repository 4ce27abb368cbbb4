import type { Code, Construct, Effects, State, TokenizeContext } from 'micromark-util-types'

/**
 * A construct that sees other characters than the text has, for example white space where a full-width full stop is. What it consumes is
 * the text itself. @param see the character to show in place of `code`
 */
export function filtered(construct: Construct, see: (this: TokenizeContext, code: Code) => Code): Construct {
  return {
    ...construct,
    tokenize(effects, ok, nok) {
      let actual: Code = null
      let isOver = false
      /** Goes on with the character that the text has. */
      const unfiltered =
        (state: State): State =>
        () =>
          state(actual)
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
      /** A part of the construct, which gets its characters from `through` as well. */
      const part = (inner: Construct): Construct => ({
        ...inner,
        tokenize(_, found, missing) {
          return inner.tokenize.call(this, inside, unfiltered(found), unfiltered(missing))
        },
      })
      const trying =
        (attempt: Effects['attempt']): Effects['attempt'] =>
        (parts, found, missing) =>
          attempt('tokenize' in parts ? part(parts as Construct) : parts, found, missing)
      const inside: Effects = {
        ...effects,
        consume: () => effects.consume(actual),
        attempt: trying(effects.attempt),
        check: trying(effects.check),
      }
      return through(construct.tokenize.call(this, inside, after(ok), after(nok)))
    },
  }
}
