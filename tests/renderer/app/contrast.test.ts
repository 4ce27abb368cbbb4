import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('../../../src-renderer/app/styles.css', import.meta.url), 'utf8')

/** The colours of a theme by token name, `#rrggbb`. */
function coloursOf(theme: 'light' | 'dark'): Map<string, string> {
  const colours = new Map<string, string>()
  for (const [, name = '', light = '', dark = ''] of css.matchAll(
    /--([\w-]+): light-dark\((#[\da-f]{6}), (#[\da-f]{6})\);/g,
  ))
    colours.set(name, theme === 'light' ? light : dark)
  return colours
}

/** Relative luminance, WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((left, right) => right - left)
  return (light + 0.05) / (dark + 0.05)
}

const surfaces = ['bg', 'panel', 'raise', 'hover', 'pick']
const states = ['good', 'warn', 'bad']

describe.each(['light', 'dark'] as const)('the %s theme', (theme) => {
  const colours = coloursOf(theme)
  const ratio = (text: string, surface: string): number => contrast(colours.get(text) ?? '', colours.get(surface) ?? '')

  it('has AA contrast for every text colour on every surface', () => {
    const texts = ['ink', 'soft', 'faint', 'quiet', 'accent', ...states]
    const weak = texts.flatMap((text) =>
      surfaces
        .map((surface) => [text, surface, ratio(text, surface)] as const)
        .filter(([, , value]) => !(value >= 4.5)),
    )
    expect(weak).toEqual([])
  })

  it('has AA contrast for states on their own background, and for text on the accent', () => {
    for (const state of states) expect(ratio(state, `${state}-bg`), state).toBeGreaterThanOrEqual(4.5)
    for (const accent of ['accent', 'accent-strong'])
      expect(ratio('on-accent', accent), accent).toBeGreaterThanOrEqual(4.5)
  })

  it('has AAA contrast for secondary text on the surfaces of pages', () => {
    for (const surface of ['bg', 'panel', 'raise']) expect(ratio('soft', surface), surface).toBeGreaterThanOrEqual(7)
  })

  it('separates levels of text', () => {
    const [ink, soft, faint, quiet] = ['ink', 'soft', 'faint', 'quiet'].map((text) => ratio(text, 'bg'))
    expect(ink).toBeGreaterThan(soft ?? 0)
    expect(soft).toBeGreaterThan(faint ?? 0)
    expect(faint).toBeGreaterThan(quiet ?? 0)
  })
})
