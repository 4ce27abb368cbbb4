import { describe, expect, it } from 'vitest'
import { faultsOf, type LanguageTexts, readTexts, textLanguages } from '../../../resources/scripts/i18n.ts'
import { en } from '../../../src-renderer/i18n/en.ts'
import { createWords } from '../../../src-renderer/i18n/host.ts'
import { directionOf, loadTexts, nameOf, pickLanguage } from '../../../src-renderer/i18n/language.ts'

const seven = ['de', 'es', 'fr', 'pt-BR', 'ja', 'zh-Hans', 'ar']

describe('the language of the program', () => {
  const offered = ['en', ...seven]
  it.each([
    ['a chosen one, whatever the system prefers', 'ja', ['de-DE'], 'ja'],
    ['the first of the system that is offered', 'system', ['nl-NL', 'de-AT', 'fr'], 'de'],
    ['English, when none is offered', 'system', ['nl-NL', 'pl'], 'en'],
    ['English of any region', 'system', ['en-GB', 'de'], 'en'],
    ['the same language of another region', 'system', ['pt-PT'], 'pt-BR'],
    ['simplified Chinese for China and Singapore', 'system', ['zh-SG'], 'zh-Hans'],
    ['no simplified Chinese for Taiwan, whose script is another', 'system', ['zh-TW', 'ja'], 'ja'],
    ['Arabic of any country', 'system', ['ar-EG'], 'ar'],
    ['that of the system, when the chosen one is gone', 'en-XA', ['de'], 'de'],
    ['English, when the system has names that are no tags', 'system', ['C', 'de_DE', ''], 'en'],
  ])('is %s', (_name, chosen, wanted, expected) => {
    expect(pickLanguage(chosen, wanted, offered)).toBe(expected)
  })

  it('has its direction from its script', () => {
    expect(['en', 'ja', 'ar', 'he', 'fa-IR', 'ar-XB', 'az-Arab'].map(directionOf)).toEqual([
      ...['ltr', 'ltr', 'rtl', 'rtl', 'rtl', 'rtl', 'rtl'],
    ])
  })

  it('is listed under its own name', () => {
    expect(seven.map(nameOf)).toEqual([
      ...['Deutsch', 'Español', 'Français', 'Português (Brasil)', '日本語', '简体中文', 'العربية'],
    ])
  })

  it('is loaded alone', async () => {
    const loaded: string[] = []
    const file = (name: string) => async () => {
      loaded.push(name)
      return { [name.split('/')[1] ?? '']: { ok: name } }
    }
    const files = { './en/chat.ts': file('en/chat'), './de/chat.ts': file('de/chat'), './de/data.ts': file('de/data') }
    expect(await loadTexts(files, 'de')).toEqual([
      ['chat', { ok: 'de/chat' }],
      ['data', { ok: 'de/data' }],
    ])
    expect(loaded).toEqual(['de/chat', 'de/data'])
  })

  it('of menus and notifications follows the setting, and is English until then', async () => {
    const words = createWords()
    expect([words.language, words.t('desktop:quit')]).toEqual(['en', 'Quit'])
    for (const language of textLanguages.toReversed()) {
      await words.follow(language, [])
      const texts = await readTexts(language)
      expect([words.language, words.t('desktop:quit')]).toEqual([language, texts.get('host/desktop.ts')?.get('quit')])
    }
  })
})

/** A text of one file with one key. */
const one = (key: string, text: string): LanguageTexts => new Map([['chat.ts', new Map([[key, text]])]])
const plurals = (forms: Record<string, string>): LanguageTexts =>
  new Map([['chat.ts', new Map(Object.entries(forms).map(([form, text]) => [`left_${form}`, text]))]])

describe('the check of a translation', () => {
  const english = one('say', 'Send {{name}} to <1>your friends</1> now')
  const two = plurals({ one: '{{count}} message', other: '{{count}} messages' })
  it.each([
    ['a missing text', 'de', new Map(), english, /chat\.ts say: missing: Send/],
    ['a text that English does not have', 'de', one('other', 'Text'), english, /chat\.ts other: not in English/],
    [
      'a lost placeholder',
      'de',
      one('say', 'An <1>deine Freunde</1> senden'),
      english,
      /placeholders are , not \{\{name\}\}/,
    ],
    ['a lost tag', 'de', one('say', '{{name}} an deine Freunde senden'), english, /tags are , not <\/1> <1>/],
    ['a text left in English', 'de', english, english, /say: English: Send/],
    [
      'an English word in another script',
      'ja',
      one('say', '{{name}}を<1>友達</1>にsend'),
      english,
      /English words: send/,
    ],
    ['a plural that the language has', 'ar', two, two, /lacks the plural few, many, two, zero/],
    ['a plural that the language lacks', 'ja', two, two, /has the plural one, which ja does not use/],
    ['an empty text', 'de', one('say', ' '), english, /say: empty/],
    ['a path that would be turned around', 'ar', one('say', 'مع "/v1" في نهايته'), one('say', 'With "/v1"'), /U\+2066/],
  ] as const)('finds %s', (_name, language, texts, source, expected) => {
    expect(faultsOf(language, texts, source).join('\n')).toMatch(expected)
  })

  it('accepts a form for one number that says it in words, names of products, and quoted English', () => {
    expect(faultsOf('ar', plurals({ ...arabic, one: 'رسالة واحدة', two: 'رسالتان' }), two)).toEqual([])
    const source = one('say', 'Open “File” in Inference Studio')
    expect(faultsOf('ja', one('say', 'Inference Studioで“File”を開く'), source)).toEqual([])
  })
})
const arabic = {
  zero: 'لا رسائل',
  few: '{{count}} رسائل',
  many: '{{count}} رسالة',
  other: '{{count}} رسالة',
}

describe.each(textLanguages)('the texts in %s', (language) => {
  it('are complete: no text is missing, unused, empty or English, and placeholders, tags and plural forms are right', async () => {
    expect(faultsOf(language, await readTexts(language), await readTexts('en'))).toEqual([])
  })
})

it('has every English file in the type of the keys', async () => {
  const files = [...(await readTexts('en')).keys()].map((file) => /(\w+)\.ts$/.exec(file)?.[1] ?? '')
  expect(Object.keys(en).toSorted()).toEqual(files.toSorted())
})
