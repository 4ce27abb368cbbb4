import { readFileSync } from 'node:fs'
import { unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { note } from '../../../../src-main/core/shared/notes.ts'
import { textOf } from '../../../../src-preload/contract/note.ts'
import { maxPinnedFiles } from '../../../../src-preload/contract/projects.ts'
import { freshFolder } from '../../helpers/core.ts'
import { forge } from './forge.ts'
import { addFolder, type Studio } from './studio.ts'
import { studiosOfTest } from './studiosOfTest.ts'

const { studio } = studiosOfTest()

/** The newest change wins, and times are ms. */
async function nextMillisecond(): Promise<void> {
  const from = Date.now()
  await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(from)
}

const noId = '00000000-0000-4000-8000-000000000000'
const mediaOf = ({ store }: Studio): string[] => [...store.media.ids()].sort()

describe('an archive', () => {
  it('keeps the notes of a document: by their codes, those of earlier versions as plain text, and all as text for earlier versions', async () => {
    const [home, work] = [studio(), studio()]
    const id = await home.pin(addFolder(home.store, 'Taxes'), 'rules.txt', 'Pay by May.')
    const found = home.store.documents.find(id)
    const notes = ['1 picture was left out.', note('document.utf8', { figure: 3 })]
    if (!found) throw new Error('The document is not stored.')
    const { mediaId: _id, bytes: _bytes, ...facts } = found
    home.store.documents.finish(id, { ...facts, notes })
    expect(home.store.documents.find(id)?.notes).toEqual(notes)
    const archive = await home.exported()
    const file = Buffer.from(unzipSync(archive)[`documents/${id}.json`] ?? '').toString()
    expect(JSON.parse(file)).toMatchObject({ notes: notes.map(textOf), noteCodes: [null, { values: { figure: 3 } }] })
    await work.import(archive)
    expect(work.store.documents.find(id)?.notes).toEqual(notes)
  })

  it('brings the files of projects with their text, once', async () => {
    const [home, work] = [studio(), studio()]
    const [taxes, house] = [addFolder(home.store, 'Taxes'), addFolder(home.store, 'House')]
    const id = await home.pin(taxes, 'rules.txt', 'Pay by May.')
    await home.pin(house, 'same.txt', 'Pay by May.')
    await home.pin(house, 'plan.txt', 'Two rooms.')
    const archive = await home.exported()
    expect(Object.keys(unzipSync(archive)).filter((name) => name.startsWith('media/'))).toHaveLength(2)
    await work.import(archive)
    expect(work.pinned(taxes)).toEqual(['rules.txt: Pay by May.'])
    expect(work.pinned(house)).toEqual(['plan.txt: Two rooms.', 'same.txt: Pay by May.'])
    expect(await work.media.bytes(id)).toEqual(Buffer.from('Pay by May.'))
    const before = mediaOf(work)
    await work.import(archive)
    expect(work.pinned(house)).toEqual(['plan.txt: Two rooms.', 'same.txt: Pay by May.'])
    expect(mediaOf(work)).toEqual(before)
    expect(work.store.erasures.planned('media')).toEqual([])
  })

  it('does not add a file again that the project has under another id', async () => {
    const [home, work] = [studio(), studio()]
    const taxes = addFolder(home.store, 'Taxes', '2026-01-01T00:00:00.000Z')
    await home.pin(taxes, 'rules.txt', 'Pay by May.')
    for (const folder of home.store.folders.rows()) work.store.folders.insert({ ...folder, name: 'My taxes' })
    const own = await work.pin(taxes, 'my name.txt', 'Pay by May.')
    await work.import(await home.exported())
    expect(work.pinned(taxes)).toEqual(['my name.txt: Pay by May.'])
    expect(mediaOf(work)).toEqual([own])
  })

  it('fills a project to its limit, and says how many files were left out', { tags: 'long' }, async () => {
    const [home, work] = [studio(), studio()]
    const taxes = addFolder(home.store, 'Taxes')
    for (let at = 0; at < maxPinnedFiles; at += 1) await home.pin(taxes, `${at}.txt`, `File ${at}`)
    for (const folder of home.store.folders.rows()) work.store.folders.insert(folder)
    await work.pin(taxes, 'own.txt', 'Own file')
    const { notes } = await work.import(await home.exported())
    expect(work.pinned(taxes)).toHaveLength(maxPinnedFiles)
    expect(work.pinned(taxes)).toContain('own.txt: Own file')
    expect(notes).toEqual([`Files left out because a project can have at most ${maxPinnedFiles}: 1.`])
  })
})

describe('two computers with one folder', () => {
  function twoComputers() {
    const folder = freshFolder()
    const sync = async (one: Studio) => one.archive.sync({ folder })
    return { home: studio(), work: studio(), sync }
  }

  /** Two computers with the same project and its file. */
  async function pinnedOnBoth() {
    const { home, work, sync } = twoComputers()
    const taxes = addFolder(home.store, 'Taxes')
    const id = await home.pin(taxes, 'rules.txt', 'Pay by May.')
    await sync(home)
    await sync(work)
    return { home, work, sync, taxes, id }
  }

  it('have the same files, with the newest name, and a removed file is removed on both', async () => {
    const { home, work, sync, taxes, id } = await pinnedOnBoth()
    expect(work.pinned(taxes)).toEqual(['rules.txt: Pay by May.'])
    await nextMillisecond()
    work.store.pinnedFiles.insert({ folderId: taxes, mediaId: id, name: 'law.txt', addedAt: new Date().toISOString() })
    await sync(work)
    await sync(home)
    expect(home.pinned(taxes)).toEqual(['law.txt: Pay by May.'])
    await home.unpin(taxes, id)
    await sync(home)
    expect((await sync(work)).files).toMatchObject([{ outcome: 'merged' }])
    await sync(home)
    for (const one of [home, work]) {
      expect(one.pinned(taxes)).toEqual([])
      expect(mediaOf(one)).toEqual([])
    }
    // Added again, it is there again.
    await nextMillisecond()
    await home.pin(taxes, 'rules.txt', 'Pay by May.')
    await sync(home)
    await sync(work)
    expect(work.pinned(taxes)).toEqual(['rules.txt: Pay by May.'])
  })

  it('have a file once that both added, and its removal reaches the other', async () => {
    const { home, work, sync } = twoComputers()
    const taxes = addFolder(home.store, 'Taxes')
    await sync(home)
    await sync(work)
    const atHome = await home.pin(taxes, 'a.txt', 'Pay by May.')
    await nextMillisecond()
    const atWork = await work.pin(taxes, 'b.txt', 'Pay by May.')
    expect(atHome).not.toBe(atWork)
    for (const one of [home, work, home]) await sync(one)
    expect([home.pinned(taxes), work.pinned(taxes)]).toEqual([['b.txt: Pay by May.'], ['b.txt: Pay by May.']])
    expect([mediaOf(home), mediaOf(work)]).toEqual([[atHome], [atWork]])
    await nextMillisecond()
    await home.unpin(taxes, atHome)
    for (const one of [home, work, home]) await sync(one)
    expect([home.pinned(taxes), work.pinned(taxes)]).toEqual([[], []])
  })

  it('have the files of a project again that was deleted on one and changed later on the other', async () => {
    const { home, work, sync } = twoComputers()
    const taxes = addFolder(home.store, 'Taxes')
    await home.pin(taxes, 'rules.txt', 'Pay by May.')
    await sync(home)
    await sync(work)
    home.store.folders.remove(taxes)
    await sync(home)
    await nextMillisecond()
    work.store.folders.update(taxes, { name: 'Taxes 2026' })
    for (const one of [work, home, work]) await sync(one)
    for (const one of [home, work]) {
      expect(one.store.folders.rows()).toMatchObject([{ name: 'Taxes 2026' }])
      expect(one.pinned(taxes)).toEqual(['rules.txt: Pay by May.'])
    }
    await nextMillisecond()
    home.store.folders.remove(taxes)
    for (const one of [home, work, home]) await sync(one)
    expect(work.store.folders.rows()).toEqual([])
    expect(mediaOf(work)).toEqual([])
  })

  it('leave alone a file that a message of a chat has too', async () => {
    const { home, work, sync, taxes, id } = await pinnedOnBoth()
    const other = addFolder(work.store, 'Other')
    await work.pin(other, 'rules.txt', 'Pay by May.')
    await home.unpin(taxes, id)
    await sync(home)
    await sync(work)
    expect(work.pinned(taxes)).toEqual([])
    expect(work.pinned(other)).toEqual(['rules.txt: Pay by May.'])
  })

  it.each<[string, (entry: string, text: string) => string, RegExp]>([
    [
      'more files than several computers can have added',
      (name, text) =>
        name === 'library.json'
          ? text.replace(/"files": \[([^\]]*)\]/, (_, one) => `"files": [${Array(1001).fill(one).join(',')}]`)
          : text,
      /“Taxes” was not merged/,
    ],
    [
      'a text whose tokens are not its count',
      (name, text) => (name.startsWith('documents/') ? text.replaceAll(/"tokens":\d+/g, '"tokens":0') : text),
      /“rules.txt” was not merged: .*document/,
    ],
    [
      'a mark of something that is no hash',
      (name, text) =>
        name === 'sync.json' ? text.replace('"files":{}', `"files":{"${noId}":{"../x":{"at":1,"value":"1"}}}`) : text,
      /list of changes/,
    ],
  ])('leave out %s, and say so', async (_, change, problem) => {
    const { home, work, sync } = twoComputers()
    const taxes = addFolder(home.store, 'Taxes')
    await home.pin(taxes, 'rules.txt', 'Pay by May, or in another month of the year.')
    const { file } = await sync(home)
    forge(file, change)
    const { files, notes } = await sync(work)
    expect([...notes, ...files.map((one) => one.problem)].join(' ')).toMatch(problem)
    expect(work.pinned(taxes)).toEqual([])
    expect(mediaOf(work)).toEqual([])
  })

  it('skip a file whose original is missing, with a note', async () => {
    const { home, work, sync } = twoComputers()
    const taxes = addFolder(home.store, 'Taxes')
    const id = await home.pin(taxes, 'rules.txt', 'Pay by May.')
    const { file } = await sync(home)
    forge(file, (name, text) => (name === 'library.json' ? text.replace(id, noId) : text))
    expect(await sync(work)).toMatchObject({
      files: [{ outcome: 'merged' }],
      notes: ['Documents left out because they are not in the file: 1.'],
    })
    expect(work.pinned(taxes)).toEqual([])
  })

  it('never write a time that the others refuse, whatever time an item of a file has', async () => {
    const { home, work, sync } = twoComputers()
    const taxes = addFolder(home.store, 'Taxes')
    await home.pin(taxes, 'rules.txt', 'Pay by May.')
    const { file } = await sync(home)
    forge(file, (name, text) =>
      name === 'library.json'
        ? text.replaceAll(/"(createdAt|addedAt)": "[^"]*"/g, '"$1": "+200000-01-01T00:00:00.000Z"')
        : text,
    )
    const { file: own } = await sync(work)
    const { folders, files } = JSON.parse(Buffer.from(unzipSync(readFileSync(own))['sync.json'] ?? []).toString())
    const marks = [folders, ...Object.values(files)].flatMap((all) =>
      Object.values(all as Record<string, { at: number }>),
    )
    expect(marks.map(({ at }) => at)).toEqual([0, 0])
    // The changed file of its own counts as one of another computer.
    expect((await sync(home)).files.map(({ outcome }) => outcome)).toEqual(['merged', 'merged'])
  })
})
