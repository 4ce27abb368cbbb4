import { afterEach, describe, expect, it } from 'vitest'
import { readTexts, textLanguages } from '../../../resources/scripts/i18n.ts'
import { badInput, note } from '../../../src-main/core/shared/notes.ts'
import { note as noteSchema, sentence, sentenceOf } from '../../../src-preload/contract/note.ts'
import { showNote, speak } from '../../../src-renderer/i18n/cli.ts'
import { noteText } from '../../../src-renderer/i18n/noteText.ts'

afterEach(async () => {
  await speak([])
})

describe('a note', () => {
  it('is English by itself, with its numbers as people write them', () => {
    expect(note('document.utf8', { figure: 1234 }).text).toBe('Bytes that are not valid UTF-8 and became �: 1,234.')
    expect(
      note('sync.leftOut', { title: note('import.chatAt', { at: 2, name: 'a.json' }), reason: note('file.empty') }),
    ).toEqual({
      code: 'notes:sync.leftOut',
      values: {
        title: { code: 'notes:import.chatAt', values: { at: 2, name: 'a.json' }, text: 'Chat 2 in a.json' },
        reason: { code: 'notes:file.empty', values: {}, text: 'It has no messages.' },
      },
      text: '“Chat 2 in a.json” was not merged: It has no messages.',
    })
  })

  it('is shown in the language of the person, with the note inside of it', async () => {
    await speak(['de'])
    const one = note('sync.leftOut', { title: 'Urlaub', reason: note('file.empty') })
    expect(showNote(one)).toBe('„Urlaub“ wurde nicht zusammengeführt: Dieser Chat hat keine Nachrichten.')
    expect(showNote(note('document.long', { most: 20_000_000 }))).toContain('20.000.000')
  })

  it('of an earlier version, which is plain text, is shown as it is', async () => {
    await speak(['de'])
    expect(showNote(sentence.parse('1 picture was left out.'))).toBe('1 picture was left out.')
    expect(showNote(sentenceOf('2 charts were left out.', undefined))).toBe('2 charts were left out.')
  })

  it('of a newer version, whose code is not known here, is shown in English', async () => {
    await speak(['de'])
    const one = { code: 'notes:document.video', values: {}, text: 'A video was left out.' }
    expect(showNote(noteSchema.parse(one))).toBe('A video was left out.')
    expect(showNote(noteSchema.parse({ ...one, code: 'notes:document' }))).toBe('A video was left out.')
    expect(noteSchema.safeParse({ ...one, code: 'settings:about' }).success).toBe(false)
  })

  it('is the reason of an error, whose message stays English', () => {
    expect(badInput(note('file.json')).toProblem()).toEqual({
      kind: 'bad_input',
      message: 'The file is damaged: its JSON is incomplete.',
      note: note('file.json'),
    })
  })

  it.each(textLanguages.slice(1))('has its own words in %s for every English text', async (language) => {
    for (const [name, file] of [
      ['notes', 'notes.ts'],
      ['selfCheck', 'selfCheck.ts'],
    ] as const) {
      const [english, own] = [await readTexts('en'), await readTexts(language)]
      const texts = (namespace: string) => (namespace === name ? nestedTexts(own.get(file) ?? new Map()) : undefined)
      const same = [...(english.get(file) ?? [])].filter(([key, text]) => {
        const shown = noteText({ code: `${name}:${key}`, values: {}, text: '' }, { texts, locale: language })
        return shown === '' || (shown === text && /(?:\p{L}{3,}\P{L}+){3}/u.test(text.replace(/\{\{\w+\}\}/g, '')))
      })
      expect(same).toEqual([])
    }
  })
})

/** Texts by dotted keys as an object of groups. */
function nestedTexts(texts: ReadonlyMap<string, string>): Record<string, Record<string, string>> {
  const tree: Record<string, Record<string, string>> = {}
  for (const [key, text] of texts) {
    const [group = '', name = ''] = key.split('.')
    tree[group] = { ...tree[group], [name]: text }
  }
  return tree
}
