import type { Colour } from '../../src-preload/contract/requests.ts'
import type { Ink } from './data.ts'

/** Every name is a token of styles.css; a tool keeps the colour that it has everywhere. */
export const inks = ['c1', 'c2', 'c3', 'c4', 'tool-rose', 'tool-green', 'tool-orange', 'tool-slate'] as const
const ofTool: Record<Colour, string> = {
  ...{ blue: 'tool-blue', teal: 'tool-teal', violet: 'tool-violet', amber: 'tool-amber' },
  ...{ rose: 'tool-rose', green: 'tool-green', slate: 'tool-slate', orange: 'tool-orange' },
}
/** The token of a colour of the chart. */
export const tokenOf = (ink: Ink): string =>
  ink === 'rest' ? 'faint' : typeof ink === 'number' ? (inks[ink % inks.length] ?? 'c1') : ofTool[ink]

export const paint = (ink: Ink): string => `var(--${tokenOf(ink)})`

/** Colours as the theme has them now, for what is drawn without a style sheet. */
export interface Look {
  ink: string
  soft: string
  faint: string
  line: string
  raise: string
  warn: string
  font: string
  of: (ink: Ink) => string
  /** All of them as one text, to be told from another. */
  all: string
}

const tokens = ['ink', 'soft', 'faint', 'line', 'raise', 'warn', ...inks, ...Object.values(ofTool)]

/** Reads them from the page: `light-dark()` is worked out by the browser alone. All are asked for before one is read, or each would be worked out anew. */
export function readLook(): Look {
  const probe = document.createElement('span')
  probe.hidden = true
  const asked = tokens.map((name) => {
    const one = document.createElement('i')
    one.style.color = `var(--${name})`
    return one
  })
  probe.append(...asked)
  document.body.append(probe)
  const read = new Map(tokens.map((name, at) => [name, getComputedStyle(asked[at] ?? probe).color]))
  probe.remove()
  const of = (name: string): string => read.get(name) ?? 'gray'
  const font = getComputedStyle(document.body).fontFamily
  return {
    ...{ ink: of('ink'), soft: of('soft'), faint: of('faint'), line: of('line'), raise: of('raise'), warn: of('warn') },
    font,
    of: (ink) => of(tokenOf(ink)),
    all: [...read.values(), font].join(),
  }
}
