import type { Colour } from '../../../src-preload/contract/requests.ts'
import type { Ink } from './data.ts'

/** Tokens of styles.css, followed by their `-pale` variants: one per series of a view, so that no two look the same. */
export const inks = [
  ...(['c1', 'c2', 'c3', 'c4', 'hue-rose', 'hue-green', 'hue-orange', 'hue-slate'] as const),
  ...(['c1-pale', 'c4-pale', 'hue-green-pale', 'hue-orange-pale'] as const),
] as const
/** An app has the same colour everywhere. */
const ofApp: Record<Colour, string> = {
  blue: 'hue-blue',
  teal: 'hue-teal',
  violet: 'hue-violet',
  amber: 'hue-amber',
  rose: 'hue-rose',
  green: 'hue-green',
  slate: 'hue-slate',
  orange: 'hue-orange',
}
/** The name of a chart colour. */
const nameOf = (ink: Ink): string =>
  ink === 'rest' ? 'faint' : typeof ink === 'number' ? (inks[ink % inks.length] ?? 'c1') : ofApp[ink]

const cssOf = (name: string): string =>
  name.endsWith('-pale') ? `color-mix(in srgb, var(--${name.slice(0, -5)}) 48%, var(--raise))` : `var(--${name})`

export const paint = (ink: Ink): string => cssOf(nameOf(ink))

/** The current colours of the theme, for drawing without a style sheet. */
export interface ChartColors {
  ink: string
  soft: string
  faint: string
  line: string
  raise: string
  warn: string
  font: string
  of: (ink: Ink) => string
  /** All colours in one string, to detect a change. */
  all: string
}

const names = ['ink', 'soft', 'faint', 'line', 'raise', 'warn', ...inks, ...Object.values(ofApp)]

/**
 * Reads the colours from the page, because only the browser evaluates `light-dark()`. All elements are created before the first read:
 * otherwise each read would force a style calculation.
 */
export function readChartColors(): ChartColors {
  const probe = document.createElement('span')
  probe.hidden = true
  const asked = names.map((name) => {
    const one = document.createElement('i')
    one.style.color = cssOf(name)
    return one
  })
  probe.append(...asked)
  document.body.append(probe)
  const read = new Map(names.map((name, at) => [name, plainRgb(getComputedStyle(asked[at] ?? probe).color)]))
  probe.remove()
  const of = (name: string): string => read.get(name) ?? 'gray'
  const font = getComputedStyle(document.body).fontFamily
  return {
    ink: of('ink'),
    soft: of('soft'),
    faint: of('faint'),
    line: of('line'),
    raise: of('raise'),
    warn: of('warn'),
    font,
    of: (ink) => of(nameOf(ink)),
    all: [...read.values(), font].join(),
  }
}

/** Converts `color(srgb r g b)`, the form of a mixed colour, to `rgb()`. Few programs read the former in an SVG. */
export function plainRgb(colour: string): string {
  const parts = /^color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)\)$/.exec(colour)?.slice(1)
  return parts ? `rgb(${parts.map((part) => Math.round(Number(part) * 255)).join(', ')})` : colour
}
