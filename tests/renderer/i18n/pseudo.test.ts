import fc from 'fast-check'
import i18next from 'i18next'
import { describe, expect, it } from 'vitest'
import { en } from '../../../src-renderer/i18n/en.ts'
import { asSentence, showClock, showFull, showInstant } from '../../../src-renderer/i18n/format.ts'
import { pseudoLanguages, pseudoText, pseudoTexts, type Texts } from '../../helpers/pseudo.ts'

const leaves = (texts: Texts, path = ''): [string, string][] =>
  Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}${key}`, value] as [string, string]] : leaves(value, `${path}${key}.`),
  )
const places = (text: string) => (text.match(/\{\{[^}]*\}\}|\$t\([^)]*\)|<\/?\w+>/g) ?? []).toSorted()

/** Each number with the two words after it, as name and word: `{{count}} new chats` gives `count` with `new` and with `chats`. */
const numbersBefore = (text: string): { name: string; words: string[] }[] =>
  [...text.matchAll(/\{\{(\w+)[^}]*\}\} ([a-z]+)(?: ([a-z]+))?/g)].map(([, name = '', ...words]) => ({
    name,
    words: words.filter((word) => word !== undefined),
  }))

/** Texts whose number is always more than one: several requests, the bytes of a file, or a limit. `{{most}}` is a limit everywhere. */
const severalAlways = new Set([
  ...['chat.costOfAll', 'context.planRequests', 'images.list.ofPictures', 'preview.csvCut', 'markdown.diagramLate'],
  ...['speech.bytesMore', 'speech.bytesMany_one', 'speech.bytesMany_other', 'selfCheck.failed.late'],
  ...['backup', 'voice', 'download'].map((name) => `selfCheck.seen.${name}`),
])

/** Keys of texts with a number before a word that changes with it elsewhere, such as `tokens`, but not with this number. */
function withoutForms(texts: readonly [string, string][]): string[] {
  const all = new Map(texts)
  const counted = (text = ''): string[] =>
    numbersBefore(text).flatMap(({ name, words: [word] }) => (name === 'count' && word ? [word] : []))
  const changing = new Set(
    texts.flatMap(([key, text]) => {
      const single = key.endsWith('_other') ? counted(all.get(key.replace(/_other$/, '_one'))) : []
      // “was” and “were” follow names too.
      return single.length === 0 ? [] : counted(text).filter((word) => !single.includes(word) && word !== 'were')
    }),
  )
  return texts.flatMap(([key, text]) => {
    const found = numbersBefore(text).filter(
      ({ name, words }) =>
        !/^(most|name|app|model|program|version)$/.test(name) && words.some((word) => changing.has(word)),
    )
    const expected = /_(one|other)$/.test(key) ? 1 : 0
    return found.length > expected && !severalAlways.has(key) ? [key] : []
  })
}

describe('English', () => {
  const texts = leaves(en)
  it('has both forms of every plural, with the number as figure or word', () => {
    const keys = new Set(texts.map(([key]) => key))
    for (const [key] of texts) {
      const stem = /^(.+)_(one|other)$/.exec(key)?.[1]
      if (stem === undefined) continue
      expect(keys.has(`${stem}_one`), `${stem}_one`).toBe(true)
      expect(keys.has(`${stem}_other`), `${stem}_other`).toBe(true)
    }
  })
  it('has plural forms where a text shows how many there are: a position or a limit is named otherwise', () => {
    expect(texts.filter(([key, text]) => /\{\{count\b/.test(text) && !/_(one|other)$/.test(key))).toEqual([])
  })
  it('has plural forms where a word changes with the number before it', () => {
    expect(withoutForms(texts)).toEqual([])
  })
  it.each([
    ['a number without forms', [['sent', '{{tokens}} tokens were sent']], ['sent']],
    ['an adjective between', [['sent', '{{tokens}} new tokens were sent']], ['sent']],
    [
      'a second number',
      [
        ['sent_one', '{{count}} message with {{tokens}} tokens'],
        ['sent_other', '{{count}} messages with {{tokens}} tokens'],
      ],
      ['sent_other'],
    ],
    ['no limit', [['sent', 'At most {{most}} tokens']], []],
    ['no name', [['sent', '{{model}} reads tokens']], []],
  ] as [string, [string, string][], string[]][])('knows %s', (_name, given, expected) => {
    expect(withoutForms([...texts, ...given]).filter((key) => key.startsWith('sent'))).toEqual(expected)
  })
  it('has no empty text and no plural in brackets', () => {
    for (const [key, text] of texts) {
      expect(text.trim(), key).not.toBe('')
      expect(text, key).not.toMatch(/\w\(s\)/)
    }
  })
})

describe.each(pseudoLanguages)('%s', (language) => {
  it('keeps every placeholder, and marks where each text starts and ends', () => {
    for (const [key, text] of leaves(en)) {
      const made = pseudoText(text, language)
      expect(places(made), key).toEqual(places(text))
      expect(made.startsWith('⟦') && made.endsWith('⟧'), key).toBe(true)
    }
  })
  it('has a form of each plural for every number', async () => {
    const words = i18next.createInstance()
    await words.init({
      lng: language,
      fallbackLng: 'en',
      defaultNS: 'library',
      resources: {
        en,
        [language]: Object.fromEntries(Object.entries(en).map(([name, texts]) => [name, pseudoTexts(texts, language)])),
      },
    })
    for (const count of [0, 1, 2, 3, 11, 100, 1_000_000]) {
      expect(words.t('library:reportMessages', { count }), String(count)).toMatch(/^⟦.*⟧$/s)
    }
  })
})

describe('values from outside', () => {
  it('end like a sentence, whatever their last character', () => {
    expect(
      ['It is locked.', 'Why?', ' no bus ', 'Wait…', '不可用', '不可用。', '使えません', 'لماذا؟'].map(asSentence),
    ).toEqual([...['It is locked.', 'Why?', 'no bus.', 'Wait…', '不可用。', '不可用。', '使えません。', 'لماذا؟']])
  })
  it('show every time in the 24-hour clock', () => {
    const at = new Date(2026, 10, 21, 23, 5).toISOString()
    for (const show of [showClock, showInstant, showFull]) expect(show(at)).toMatch(/23:05$/)
    const midnight = new Date(2026, 10, 21, 0, 5).toISOString()
    for (const show of [showClock, showInstant, showFull]) expect(show(midnight)).toMatch(/(?<!2)0?0:05$/)
  })
})

describe('long words', () => {
  it('are 40 % longer, whatever the text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z ,.]{1,80}$/), (text) => {
        expect(pseudoText(text, 'en-XA').length).toBeGreaterThanOrEqual(Math.floor(text.length * 1.4))
      }),
    )
  })
  it('have no plain letter except the padding', () => {
    expect(pseudoText('Quick brown fox {{name}}', 'en-XA')).toMatch(/^⟦Ɋûîçķ ƀřöŵñ ƒöẋ \{\{name\}\} /)
  })
})

describe('right to left', () => {
  it('reverses each word, and permits line breaks between words', () => {
    expect(pseudoText('Two words', 'ar-XB')).toBe('⟦\u202eTwo\u202c \u202ewords\u202c⟧')
  })
  it('closes every direction override', () => {
    for (const [key, text] of leaves(en)) {
      const made = pseudoText(text, 'ar-XB')
      expect(made.split('\u202e').length, key).toBe(made.split('\u202c').length)
    }
  })
})
