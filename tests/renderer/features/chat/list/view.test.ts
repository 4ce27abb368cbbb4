import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Conversation } from '../../../../../src-preload/contract/chat.ts'
import { firstList, withFold, withToggled } from '../../../../../src-renderer/stores/chatList.ts'
import { chatsBetween, type ListRow, lineAfter, listRows } from '../../../../../src-renderer/stores/chatListRows.ts'
import { conversation } from '../harness/scenes.ts'

const now = new Date(2026, 4, 20, 9, 0)
const at = (day: number, over: Partial<Conversation>) =>
  conversation({ id: `${day}`, updatedAt: new Date(2026, 4, day, 8, 0).toISOString(), ...over })
const folder = (id: string, name: string) => ({
  id,
  name,
  conversations: 0,
  model: null,
  instructions: null,
  params: null,
  wholeTokens: 8000,
  files: [],
})
const said = (rows: readonly ListRow[]) =>
  rows.map((row) =>
    row.row === 'chat' ? `${'  '.repeat(row.level - 1)}${row.conversation.title}` : `# ${nameOf(row)}`,
  )
const nameOf = (row: Exclude<ListRow, { row: 'chat' }>) =>
  row.row === 'folder' ? `${row.folder.name} ${row.count}${row.open ? '' : ' (shut)'}` : row.key

describe('the list', () => {
  const conversations = [
    at(20, { title: 'Tax letter' }),
    at(19, { title: 'Soup', folderId: 'home' }),
    at(18, { title: 'Kept in sight', pinned: true, folderId: 'home' }),
    at(15, { title: 'To the office' }),
    at(14, { title: 'Put away', archived: true, pinned: true }),
    at(1, { title: 'Old' }),
  ]
  const folders = [folder('home', 'Home'), folder('work', 'Work')]
  const all = { conversations, folders, closed: new Set<string>(), archived: false, now }

  it('shows pinned chats, then folders with their chats, then the rest by local days', () => {
    expect(said(listRows(all))).toEqual([
      '# pinned',
      'Kept in sight',
      '# Home 1',
      '  Soup',
      '# Work 0',
      '# today',
      'Tax letter',
      '# week',
      'To the office',
      '# month',
      'Old',
    ])
  })
  it('shows only the name and count of a collapsed folder', () => {
    expect(said(listRows({ ...all, closed: new Set(['home']) }))).not.toContain('  Soup')
    expect(said(listRows({ ...all, closed: new Set(['home']) }))).toContain('# Home 1 (shut)')
  })
  it('shows archived chats in a separate list', () => {
    expect(said(listRows({ ...all, archived: true }))).toEqual(['# week', 'Put away'])
  })
  it('never loses or duplicates a chat, whatever its folder, pin and age', () => {
    const one = fc.record({
      id: fc.uuid(),
      folderId: fc.constantFrom(null, 'home', 'work', 'gone'),
      pinned: fc.boolean(),
      archived: fc.boolean(),
      updatedAt: fc.date({ min: new Date(2020, 0), max: now, noInvalidDate: true }).map((date) => date.toISOString()),
    })
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: ({ id }) => id, maxLength: 20 }), fc.boolean(), (ones, archived) => {
        const chats = ones.map((each) => conversation(each))
        const rows = listRows({ ...all, conversations: chats, archived })
        const shown = rows.flatMap((row) => (row.row === 'chat' ? [row.key] : []))
        expect(shown.toSorted()).toEqual(
          ones.flatMap((each) => (each.archived === archived ? [each.id] : [])).toSorted(),
        )
        expect(new Set(rows.map(({ row, key }) => `${row} ${key}`)).size).toBe(
          rows.filter(({ row }) => row !== 'heading').length +
            new Set(rows.filter(({ row }) => row === 'heading').map(({ key }) => key)).size,
        )
      }),
    )
  })
  it('computes the rows of 10,000 chats within a frame', () => {
    const many = Array.from({ length: 10_000 }, (_, n) =>
      conversation({
        id: String(n),
        folderId: n % 3 === 0 ? 'home' : null,
        updatedAt: new Date(+now - n * 3e6).toISOString(),
      }),
    )
    listRows({ ...all, conversations: many })
    const began = process.cpuUsage()
    const rows = listRows({ ...all, conversations: many })
    // CPU time, µs: normally about 5 ms. The limit detects quadratic cost.
    expect(process.cpuUsage(began).user).toBeLessThan(300_000)
    expect(rows.length).toBeGreaterThan(10_000)
  })

  const rows = listRows(all)
  it('skips headings when moving by keyboard', () => {
    expect(lineAfter(rows, -1, 1)).toBe(1)
    expect(said(rows)[lineAfter(rows, 4, 1) ?? -1]).toBe('Tax letter')
    expect(lineAfter(rows, 1, -1)).toBeNull()
  })
  it('selects all chats between two rows, from either end', () => {
    expect(chatsBetween(rows, '18', '20')).toEqual(['18', '19', '20'])
    expect(chatsBetween(rows, '20', '18')).toEqual(['18', '19', '20'])
    expect(chatsBetween(rows, '20', 'not there')).toEqual([])
  })
  it('adds the row at the cursor to the first toggled selection', () => {
    const first = { ...firstList, ...withToggled(firstList, 'b', 'a') }
    expect([...first.picked]).toEqual(['a', 'b'])
    expect([...{ ...first, ...withToggled(first, 'b', 'a') }.picked]).toEqual(['a'])
  })
  it('collapses and expands one folder without the others', () => {
    const shut = { ...firstList, ...withFold(firstList, 'home', false) }
    expect([...shut.closed]).toEqual(['home'])
    expect([...{ ...shut, ...withFold(shut, 'work', true) }.closed]).toEqual(['home'])
    expect([...{ ...shut, ...withFold(shut, 'home', true) }.closed]).toEqual([])
  })
})
