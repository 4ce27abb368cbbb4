import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** px. Nothing that is read or clicked is smaller, at any font size of the settings. */
const least = 12
/** px in a rem at the smallest font size of the settings, 87.5 %. */
const smallestRem = 14

/** The font sizes that a source text sets and that may be smaller than `least`. Sizes of printed pages are in pt and not meant. */
function tooSmall(text: string): string[] {
  const css = [...text.matchAll(/\bfont(?:-size)?:\s*([^;{}]+)/g)].map(([, value = '']) => value)
  const tokens = [...text.matchAll(/--t-\w+:\s*([^;]+);/g)].map(([, value = '']) => value)
  const utilities = [...text.matchAll(/\btext-\[([\d.]+(?:px|r?em))\]/g)].map(([, value = '']) => value)
  return [...css, ...tokens, ...utilities].filter((value) => {
    const [, size = '', unit = ''] = /(?<![\d.-])(\d*\.?\d+)(px|rem|em)\b/.exec(value.replace(/\/.*/s, '')) ?? []
    if (size === '' || /max\(\s*12px/.test(value)) return false
    return Number(size) * { px: 1, rem: smallestRem, em: least }[unit as 'px' | 'rem' | 'em'] < least
  })
}

describe('a font size', () => {
  it('is never below 12 px, also with the small font', () => {
    const files = globSync('src-renderer/**/*.{css,ts,tsx}')
    expect(files.length).toBeGreaterThan(100)
    const found = files.flatMap((file) => tooSmall(readFileSync(file, 'utf8')).map((size) => `${file}: ${size}`))
    expect(found).toEqual([])
  })
  it('that is too small is found in each way to write it', () => {
    const small = [
      'font-size: 11px;',
      'font: 600 0.6875rem var(--mono);',
      '--t-s: 0.75rem;',
      'text-[10.5px]',
      'font-size: 0.86em;',
    ]
    for (const text of small) expect(tooSmall(text), text).toHaveLength(1)
    for (const text of [
      'font-size: 12px;',
      'font: 13px / 1.5 var(--font);',
      '--t-s: max(12px, 0.75rem);',
      'font-size: 9pt;',
    ])
      expect(tooSmall(text), text).toEqual([])
  })
})
