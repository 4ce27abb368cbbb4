import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { en } from '../../../src-renderer/i18n/en.ts'
import {
  joinFacts,
  joinSentences,
  showAgo,
  showCount,
  showFull,
  showList,
  showMs,
  showNames,
  showSc,
  showSize,
  showSpan,
  showTime,
} from '../../../src-renderer/i18n/format.ts'
import { i18n } from '../../../src-renderer/i18n/index.ts'

beforeAll(() => i18n.init({ lng: 'en', fallbackLng: 'en', resources: { en }, initAsync: false }))
afterAll(() => i18n.changeLanguage('en'))

const now = new Date(2026, 10, 21, 14, 6, 31).getTime()
const at = new Date(now).toISOString()
const yesterday = new Date(now - 86_400_000).toISOString()

/** What a person reads, per language. Spaces in figures are no-break spaces. */
const shown = () =>
  [showSc('1234567.5'), showSc('-0.25'), showSc('0.0000000001'), showCount(-1234567), showSize(4_200_000)].map((text) =>
    text.replace(/[\u00a0\u202f]/g, '_'),
  )

describe('numbers in texts', () => {
  it.each([
    ['en', '12,345', '1,001'],
    ['de', '12.345', '1.001'],
    ['ar', '12,345', '1,001'],
  ])('have the separators of the language, in %s', async (language, tokens, place) => {
    const { chat, context } = Object.fromEntries(
      await Promise.all(
        ['chat', 'context'].map(async (name) => [
          name,
          (await import(`../../../src-renderer/i18n/${language}/${name}.ts`))[name],
        ]),
      ),
    )
    for (const [name, texts] of Object.entries({ chat, context })) i18n.addResourceBundle(language, name, texts)
    await i18n.changeLanguage(language)
    expect(i18n.t('context:usedOnly', { count: 12_345 })).toContain(tokens)
    expect(i18n.t('chat:rawNumber', { number: 1_001, all: 2_000 })).toContain(place)
  })
  it('stay as they are when they are text: a port, a status, an id', async () => {
    await i18n.changeLanguage('en')
    expect(i18n.t('proxy:notices.portMoved', { wanted: '8787', port: '49152' })).toContain('49152')
  })
})

describe('figures', () => {
  it.each([
    ['en', ['1,234,567.50', '−0.25', '< 0.000000001', '−1,234,567', '4.2 MB']],
    ['de', ['1.234.567,50', '−0,25', '< 0,000000001', '−1.234.567', '4,2_MB']],
    ['fr', ['1_234_567,50', '−0,25', '< 0,000000001', '−1_234_567', '4,2_Mo']],
    ['es', ['1.234.567,50', '−0,25', '< 0,000000001', '−1.234.567', '4,2_MB']],
    ['pt-BR', ['1.234.567,50', '−0,25', '< 0,000000001', '−1.234.567', '4,2_MB']],
    ['ja', ['1,234,567.50', '−0.25', '< 0.000000001', '−1,234,567', '4.2_MB']],
    ['zh-Hans', ['1,234,567.50', '−0.25', '< 0.000000001', '−1,234,567', '4.2_MB']],
  ])('of %s have its separators and units', async (language, expected) => {
    await i18n.changeLanguage(language)
    expect(shown()).toEqual(expected.map((text) => expect.stringMatching(new RegExp(`^${patternOf(text)}$`))))
  })

  it('are Western in Arabic too, and a negative one keeps its sign on the left', async () => {
    await i18n.changeLanguage('ar')
    const texts = [...shown(), showFull(at), showAgo(yesterday, now), showTime(at, now)]
    for (const text of texts) expect(text).not.toMatch(/[\u0660-\u0669]/u)
    // A mark of the direction precedes the sign, which would otherwise move to the right of the figure.
    expect(showSc('-0.25')).toMatch(/^[\u200e\u061c]−0\.25$/u)
    expect(showTime(at, now)).toBe('14:06:31')
  })
})

/** A space of a unit is a plain or a no-break one, by the version of the locale data. */
const patternOf = (text: string): string =>
  text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ (?=MB)|_(?=M)/g, '[ _]')

describe('words', () => {
  it('of a list are joined as the language does', async () => {
    const joined: Record<string, string[]> = {}
    for (const language of ['en', 'de', 'ja', 'ar']) {
      await i18n.changeLanguage(language)
      joined[language] = [showList(['A', 'B', 'C']), showNames(['A', 'B', 'C'])]
    }
    expect(joined).toEqual({
      en: ['A, B, and C', 'A, B, C'],
      de: ['A, B und C', 'A, B und C'],
      ja: ['A、B、C', 'A、B、C'],
      ar: ['A وB وC', 'A وB وC'],
    })
  })

  it('of a time are those of the language', async () => {
    await i18n.changeLanguage('de')
    expect([showAgo(yesterday, now), showFull(at)]).toEqual(['gestern', '21.11.2026, 14:06'])
    await i18n.changeLanguage('ja')
    expect(showAgo(yesterday, now)).toBe('昨日')
  })
})

describe('durations', () => {
  it('have the digits that matter, and two units from 100 s on', async () => {
    await i18n.changeLanguage('en')
    expect([0.04, 0.2, 41, 999.4, 2_414, 9_996, 12_400, 99_960, 125_000, 3_720_000].map(showMs)).toEqual([
      ...[
        '< 0.1 ms',
        '0.2 ms',
        '41 ms',
        '999 ms',
        '2.41 s',
        '10.0 s',
        '12.4 s',
        '1 min 40 s',
        '2 min 05 s',
        '1 h 02 min',
      ],
    ])
    expect([0, 12.4, 59.4, 75].map((seconds) => showSpan(seconds, 0))).toEqual(['0 s', '12 s', '59 s', '1 min 15 s'])
  })
})

it('a time in ms is written in the most readable unit', () => {
  expect([0.02, 0.2, 41, 999.4, 999.6, 2_414, 9_996, 12_400, 125_000, 3_720_000].map(showMs)).toEqual([
    '< 0.1 ms',
    '0.2 ms',
    '41 ms',
    '999 ms',
    '1.00 s',
    '2.41 s',
    '10.0 s',
    '12.4 s',
    '2 min 05 s',
    '1 h 02 min',
  ])
})

describe('texts that belong together', () => {
  it('are facts of one line, without those that are absent', async () => {
    await i18n.changeLanguage('en')
    expect(joinFacts(['12 kB', null, '', undefined, false, '3 pages'])).toBe('12 kB · 3 pages')
    expect(joinFacts([null])).toBe('')
  })
  it('keep the direction of each fact from right to left, so that names and figures do not swap', async () => {
    await i18n.changeLanguage('ar')
    expect(joinFacts(['writer-large', '3 SC'])).toBe('\u2068writer-large\u2069 · \u20683 SC\u2069')
  })
  it.each([
    ['en', 'One. Two.'],
    ['ar', '\u2068One.\u2069 \u2068Two.\u2069'],
    ['ja', 'One.Two.'],
    ['zh-Hans', 'One.Two.'],
  ])('are sentences of %s with its space between them', async (language, expected) => {
    await i18n.changeLanguage(language)
    expect(joinSentences(['One.', false, 'Two.'])).toBe(expected)
  })
})
