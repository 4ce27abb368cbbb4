import { describe, expect, it } from 'vitest'
import { i18n } from '../../../../src-renderer/i18n/index.ts'
import {
  catalogue,
  entryAfter,
  finder,
  type PaletteLine,
  pieces,
} from '../../../../src-renderer/shared/commands/matching.ts'
import {
  type Command,
  commandStore,
  offerCommands,
  offerTranslatedCommands,
} from '../../../../src-renderer/shared/commands/registry.ts'
import type { CommandSource } from '../../../../src-renderer/shared/commands/sources.ts'

const run = () => undefined
const commands: Command[] = [
  { id: 'chat.new', title: 'New chat', group: 'chat', run },
  { id: 'view.inspector', title: 'Show or hide the inspector', group: 'view', run },
  { id: 'go.usage', title: 'Go to Usage', group: 'go', run },
  { id: 'never', title: 'Never now', group: 'view', when: () => false, run },
]
const source = (id: CommandSource['id'], titles: string[]): CommandSource => ({
  id,
  things: () => titles.map((title, at) => ({ id: String(at), title })),
  run,
})
const chats = source('chats', ['Tax letter', 'Inspect the roof', '東京の三日間の旅程'])
const models = source('models', ['writer-large', 'reasoner'])
const settings = source('settings', ['Theme', 'Model of new chats'])
const find = (text: string, recent: string[] = []) =>
  finder(catalogue(commands, [chats, models, settings], recent))(text)
const said = (lines: readonly PaletteLine[]) =>
  lines.map((line) => (line.line === 'heading' ? `# ${line.group}` : line.entry.title))

describe('the palette', () => {
  it('starts with recent entries, then pages to go to, then everything by group, without unavailable commands', () => {
    expect(said(find('', ['models:1', 'gone', 'chat.new']))).toEqual([
      '# recent',
      'reasoner',
      'New chat',
      '# go',
      'Go to Usage',
      '# chat',
      'New chat',
      '# view',
      'Show or hide the inspector',
      '# chats',
      'Tax letter',
      'Inspect the roof',
      '東京の三日間の旅程',
      '# models',
      'writer-large',
      'reasoner',
      '# settings',
      'Theme',
      'Model of new chats',
    ])
  })
  it('finds commands, chats and models by a few letters, in any script', () => {
    expect(said(find('txletter'))).toEqual(['# chats', 'Tax letter'])
    expect(said(find('三日間'))).toEqual(['# chats', '東京の三日間の旅程'])
    expect(said(find('wlarge'))).toEqual(['# models', 'writer-large'])
    expect(said(find('inspector'))[1]).toBe('Show or hide the inspector')
  })
  it('lists the group with the best match first', () => {
    expect(said(find('inspect the'))[0]).toBe('# chats')
  })
  it('ranks whole words before beginnings of words, and those before loose letters', () => {
    const titles = ['Start by mapping', 'Tap water', 'Tapestry', 'Spatula map', 'Map of taps']
    const order = (text: string) => said(finder(catalogue([], [source('chats', titles)], []))(text)).slice(1)
    expect(order('tap')).toEqual(['Tap water', 'Tapestry', 'Map of taps', ...order('tap').slice(3)])
    expect(order('tap')[0]).toBe('Tap water')
    expect(order('map')[0]).toMatch(/Spatula map|Map of taps/)
    expect(order('map').indexOf('Start by mapping')).toBeGreaterThan(order('map').indexOf('Map of taps'))
  })
  it('leaves out matches of scattered letters beside matches of words, in any group', () => {
    const titles = ['A usage report', 'A sausage', 'Use a message']
    const mixed = finder(catalogue(commands, [source('chats', titles), source('models', ['us-age'])], []))
    expect(said(mixed('usage'))).toEqual(['# go', 'Go to Usage', '# chats', 'A usage report', 'A sausage'])
    expect(said(mixed('usge')).length).toBeGreaterThan(0)
  })
  it('puts the title that begins with the searched text first', () => {
    const titles = [
      'Export this chat as JSON',
      'Export chat as PDF, HTML, Word, image…',
      'Export this chat as Markdown',
    ]
    const order = said(finder(catalogue([], [source('chats', titles)], ['chats:0']))('export chat'))
    expect(order[1]).toBe('Export chat as PDF, HTML, Word, image…')
  })
  it('shows nothing when nothing matches', () => expect(find('zebra crossing')).toEqual([]))
  it('prefers recent entries among equal matches', () => {
    const twins = source('chats', ['Draft a', 'Draft b'])
    const order = (recent: string[]) => said(finder(catalogue([], [twins], recent))('draft'))
    expect(order(['chats:1'])[1]).toBe('Draft b')
    expect(order(['chats:0'])[1]).toBe('Draft a')
  })
  it('skips headings, and wraps at the ends', () => {
    const lines = find('')
    expect(entryAfter(lines, -1, 1)).toBe(1)
    expect(said(lines)[entryAfter(lines, 1, -1)]).toBe('Model of new chats')
    expect(entryAfter([], -1, 1)).toBe(-1)
  })
  it('marks matches and loses no letter', () => {
    const [, line] = find('txletter')
    if (line?.line !== 'entry') throw new Error('a line was expected')
    const marked = pieces(line.entry.title, line.marks)
    expect(marked.map(({ text }) => text).join('')).toBe('Tax letter')
    expect(
      marked
        .filter(({ hit }) => hit)
        .map(({ text }) => text)
        .join('')
        .toLowerCase(),
    ).toBe('txletter')
  })
  it('searches 10,000 titles within a keystroke', { tags: 'long' }, () => {
    const many = source(
      'chats',
      Array.from({ length: 10_000 }, (_, n) => `Conversation ${n} about a roof and a letter`),
    )
    const all = finder(catalogue(commands, [many], []))
    all('warm')
    const began = process.cpuUsage()
    expect(all('roof letter 4711').length).toBeGreaterThan(0)
    // CPU time, µs: normally about 5 ms. The limit detects excessive work.
    expect(process.cpuUsage(began).user).toBeLessThan(300_000)
  })
})

it('commands keep their places when their texts arrive or the language changes', () => {
  const named = (...ids: string[]) => ids.map((id) => ({ id, title: id, group: 'chat' as const, run: () => undefined }))
  const ends = [offerTranslatedCommands(() => named('new', 'model')), offerCommands(named('attach'))]
  for (const event of ['textsLoaded', 'languageChanged']) i18n.emit(event)
  expect([...commandStore.getState().commands.keys()]).toEqual(['new', 'model', 'attach'])
  for (const end of ends) end()
  expect(commandStore.getState().commands.size).toBe(0)
})
