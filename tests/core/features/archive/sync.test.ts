import { randomUUID } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { openChat } from '../../../../src-main/core/features/chat/chat.ts'
import { removeMessage } from '../../../../src-main/core/features/chat/removeMessage.ts'
import { restore } from '../../../../src-main/core/features/chat/restore.ts'
import { freshFolder } from '../../helpers/core.ts'
import { forge } from './forge.ts'
import { addFolder, message, put, type Studio, sha256 } from './studio.ts'
import { studiosOfTest } from './studiosOfTest.ts'

const { studio } = studiosOfTest()

/** Two computers and the folder that a sync tool carries between them. */
function twoComputers() {
  const folder = freshFolder()
  const [home, work] = [studio(), studio()]
  const sync = async (one: Studio) => one.archive.sync({ folder })
  /** Syncs home, then work, which receives what home has. */
  const syncBoth = async (): Promise<void> => {
    await sync(home)
    await sync(work)
  }
  return { folder, home, work, sync, syncBoth }
}

const chat = (one: Studio) =>
  openChat({ store: one.store, upstream: () => Promise.reject(new Error('No service here.')), log: () => undefined })

/** Adds a message below another, as the chat does, and returns its id. */
function say({ store }: Studio, conversationId: string, parentId: string | null, text: string): string {
  const id = randomUUID()
  const now = new Date().toISOString()
  store.transaction(() => {
    store.messages.insert({
      id,
      conversationId,
      parentId,
      text,
      role: 'user',
      status: 'complete',
      model: null,
      createdAt: now,
    })
    store.conversations.setLeaf(conversationId, id)
    store.conversations.touch(conversationId, now)
  })
  return id
}

/** The newest change wins, and times are ms. */
async function nextMillisecond(): Promise<void> {
  const from = Date.now()
  await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(from)
}

const textsOf = ({ store }: Studio, id: string): string[] =>
  store.messages.path(store.conversations.get(id).leafId).map(({ text }) => text)
const allTextsOf = ({ store }: Studio, id: string): string[] =>
  store.messages
    .many(store.messages.links(id).map((link) => link.id))
    .map(({ text }) => text)
    .sort()

describe('two computers with one folder', () => {
  it('brings chats, folders, prompts and images to the other computer', async () => {
    const { folder, home, work, sync } = twoComputers()
    const folderId = addFolder(home.store, 'Taxes')
    home.store.prompts.insert({
      id: randomUUID(),
      name: 'Shorter',
      text: 'Say it shorter.',
      updatedAt: '2026-01-01T00:00:00.000Z',
    })
    const picture = await home.picture(3, 4)
    const id = put(home.store, [message({ text: 'Look', attachments: [{ ...picture, detail: 'auto' }] })], { folderId })
    home.store.conversations.setName(id, 'My talk')
    expect(await sync(home)).toMatchObject({ written: true, files: [] })
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^inference-studio-[\da-f-]{36}\.zip$/)])
    expect((await sync(work)).files).toMatchObject([{ outcome: 'merged', added: 1, messages: 1 }])
    expect(work.store.conversations.get(id)).toMatchObject({ title: 'My talk', folderId })
    expect(work.store.conversations.isNamed(id)).toBe(true)
    expect(work.store.prompts.list()).toMatchObject([{ name: 'Shorter' }])
    const [shown] = work.store.messages.path(work.store.conversations.get(id).leafId)
    expect(await work.media.bytes(shown?.attachments[0]?.mediaId ?? '')).toEqual(
      await home.media.bytes(picture.mediaId),
    )
    expect(work.store.erasures.planned('media')).toEqual([])
  })

  it('does nothing when it runs again', async () => {
    const { folder, home, work, sync, syncBoth } = twoComputers()
    put(home.store, [message()])
    await syncBoth()
    expect((await sync(home)).files).toMatchObject([{ outcome: 'merged', added: 0, changed: 0, messages: 0 }])
    const bytes = readdirSync(folder).map((name) => sha256(readFileSync(join(folder, name))))
    for (const one of [home, work]) {
      expect(await sync(one)).toMatchObject({ written: false, files: [{ outcome: 'unchanged' }], notes: [] })
    }
    expect(readdirSync(folder).map((name) => sha256(readFileSync(join(folder, name))))).toEqual(bytes)
  })

  it('shows what both computers added to a chat as branches, and the newest branch on both', async () => {
    const { home, work, sync, syncBoth } = twoComputers()
    const first = message({ text: 'Question' })
    const id = put(home.store, [first])
    await syncBoth()
    say(home, id, first.id, 'From home')
    const atWork = say(work, id, first.id, 'From work')
    say(work, id, atWork, 'More from work')
    await syncBoth()
    await sync(home)
    for (const one of [home, work]) {
      expect(allTextsOf(one, id)).toEqual(['From home', 'From work', 'More from work', 'Question'])
      expect(textsOf(one, id)).toEqual(['Question', 'From work', 'More from work'])
      expect(one.store.conversations.get(id).messages).toBe(3)
    }
  })

  it('takes the newest title, folder and pin, whichever computer changed it', async () => {
    const { home, work, sync, syncBoth } = twoComputers()
    const id = put(home.store, [message()])
    await syncBoth()
    home.store.conversations.setName(id, 'Older name')
    await nextMillisecond()
    work.store.conversations.setName(id, 'Newer name')
    home.store.conversations.setPinned(id, true)
    await syncBoth()
    await sync(home)
    for (const one of [home, work]) {
      expect(one.store.conversations.get(id)).toMatchObject({ title: 'Newer name', pinned: true })
    }
  })

  it('moves a chat that was deleted elsewhere to the deleted ones, and restores it when it is restored', async () => {
    const { home, work, sync, syncBoth } = twoComputers()
    const id = put(home.store, [message({ text: 'Bye' })])
    await syncBoth()
    home.store.conversations.setRemoved(id, new Date().toISOString())
    await sync(home)
    expect((await sync(work)).files).toMatchObject([{ changed: 1 }])
    expect(work.store.erasures.removed().map((row) => row.id)).toEqual([id])
    restore(chat(work), { removedId: id })
    await sync(work)
    await sync(home)
    expect(textsOf(home, id)).toEqual(['Bye'])
  })

  it('does not bring back a chat that was deleted permanently, until it is changed elsewhere', async () => {
    const { home, work, sync, syncBoth } = twoComputers()
    const first = message({ text: 'Secret' })
    const id = put(home.store, [first])
    await syncBoth()
    home.store.conversations.setRemoved(id, new Date().toISOString())
    await home.library.erase([id])
    await sync(home)
    expect(home.store.conversations.find(id)).toBeNull()
    expect(home.store.syncMarks.of('conversation', id).get('removed')).toMatchObject({ value: '1' })
    await sync(work)
    await sync(home)
    expect(home.store.conversations.find(id)).toBeNull()
    restore(chat(work), { removedId: id })
    say(work, id, first.id, 'Still needed')
    await sync(work)
    await sync(home)
    expect(textsOf(home, id)).toEqual(['Secret', 'Still needed'])
  })

  it('deletes chats by age on one computer only', async () => {
    const { home, work, sync, syncBoth } = twoComputers()
    const id = put(home.store, [message()])
    await syncBoth()
    home.store.erasures.plan('conversation', [id])
    await home.library.sweep()
    await syncBoth()
    await sync(home)
    expect(home.store.conversations.find(id)).toBeNull()
    expect(work.store.conversations.get(id).removed).toBe(false)
  })

  it('deletes a message elsewhere too, and brings it back where it was answered', async () => {
    const { home, work, sync, syncBoth } = twoComputers()
    const first = message({ text: 'Question' })
    const second = message({ text: 'Answer', parentId: first.id })
    const id = put(home.store, [first, second])
    await syncBoth()
    const { removedId } = removeMessage(chat(home), { messageId: second.id })
    await syncBoth()
    expect(textsOf(work, id)).toEqual(['Question'])
    expect(work.store.erasures.removed()).toMatchObject([{ title: 'Answer' }])
    restore(chat(home), { removedId })
    await syncBoth()
    expect(textsOf(work, id)).toEqual(['Question', 'Answer'])
    removeMessage(chat(home), { messageId: second.id })
    say(work, id, second.id, 'Thanks')
    await syncBoth()
    await sync(home)
    for (const one of [home, work]) {
      expect(textsOf(one, id)).toEqual(['Question', 'Answer', 'Thanks'])
      expect(one.store.erasures.removed()).toEqual([])
    }
  })

  it('leaves a folder deleted, and its chats without one', async () => {
    const { home, work, sync, syncBoth } = twoComputers()
    const folderId = addFolder(home.store, 'Old')
    const id = put(home.store, [message()], { folderId })
    await syncBoth()
    work.store.folders.remove(folderId)
    await sync(work)
    await sync(home)
    expect(home.store.folders.rows()).toEqual([])
    expect(home.store.conversations.get(id).folderId).toBeNull()
  })

  it('leaves out drafts and replies that are still running', async () => {
    const { home, work, syncBoth } = twoComputers()
    const first = message({ text: 'Question' })
    const id = put(home.store, [first], { draft: 'unsent' })
    const now = new Date().toISOString()
    home.store.transaction(() => {
      home.store.messages.insert({
        id: randomUUID(),
        conversationId: id,
        parentId: first.id,
        role: 'assistant',
        text: '',
        status: 'streaming',
        model: 'm',
        createdAt: now,
      })
      home.store.conversations.setLeaf(id, home.store.messages.links(id).at(-1)?.id ?? null)
    })
    await syncBoth()
    expect(textsOf(work, id)).toEqual(['Question'])
    expect(work.store.conversations.get(id).draft).toBe('')
  })
})

describe('files in the folder', () => {
  it('merges the copy that a sync tool made of a file changed on two computers', async () => {
    const { folder, home, work, sync } = twoComputers()
    put(home.store, [message({ text: 'One' })])
    const { file } = await sync(home)
    const copy = file.replace(/\.zip$/, '.sync-conflict-20261123-120000-ABCDEF.zip')
    copyFileSync(file, copy)
    const second = put(home.store, [message({ text: 'Two' })])
    await sync(home)
    copyFileSync(file, join(folder, `${'inference-studio-x'} (conflicted copy 2026-11-23).zip`))
    copyFileSync(copy, file)
    await sync(work)
    expect(textsOf(work, second)).toEqual(['Two'])
  })

  it('refuses a half-written file with a message, merges the others, and reads it when it is complete', async () => {
    const { folder, home, work, sync } = twoComputers()
    const third = studio()
    const id = put(home.store, [message({ text: 'Whole' })])
    const { file } = await sync(home)
    put(third.store, [message()])
    await sync(third)
    const whole = readFileSync(file)
    truncateSync(file, whole.length - 30)
    const { files } = await sync(work)
    expect(files.map(({ outcome }) => outcome).sort()).toEqual(['merged', 'refused'])
    expect(files.find(({ outcome }) => outcome === 'refused')?.problem).toContain('damaged or cut off')
    writeFileSync(file, whole)
    await sync(work)
    expect(textsOf(work, id)).toEqual(['Whole'])
    expect(readdirSync(folder)).toHaveLength(3)
  })

  it('ignores links, folders and other files', async () => {
    const { folder, home, sync } = twoComputers()
    writeFileSync(join(folder, 'notes.zip'), 'x')
    symlinkSync('/dev/zero', join(folder, 'inference-studio-link.zip'))
    mkdirSync(join(folder, 'inference-studio-folder.zip'))
    expect((await sync(home)).files).toEqual([])
  })

  it.each([
    ['its own file', (id: string) => `inference-studio-${id}.zip`],
    ['its unfinished file', (id: string) => `.inference-studio-${id}.part`],
  ])('says so when a folder has the name of %s, and leaves the folder as it is', async (_what, nameOf) => {
    const { folder, home, sync } = twoComputers()
    await sync(home)
    const taken = join(folder, nameOf(home.store.syncMarks.state('installation') ?? ''))
    rmSync(taken, { force: true })
    mkdirSync(join(taken, 'notes'), { recursive: true })
    put(home.store, [message({ text: 'New' })])
    await expect(sync(home)).rejects.toMatchObject({
      kind: 'bad_input',
      message: expect.stringMatching(/can’t be written: it is a folder/),
    })
    expect(readdirSync(taken)).toEqual(['notes'])
  })

  it('is two computers again when a copied data folder writes under the same id', async () => {
    const { folder, home, work, sync } = twoComputers()
    put(home.store, [message({ text: 'Home' })])
    const { file } = await sync(home)
    const id = home.store.syncMarks.state('installation') ?? ''
    work.store.syncMarks.setState('installation', id)
    const atWork = put(work.store, [message({ text: 'Work' })])
    expect(await sync(work)).toMatchObject({ files: [{ outcome: 'merged', added: 1 }] })
    expect(readdirSync(folder)).toHaveLength(2)
    await sync(home)
    expect((await sync(home)).file).toBe(file)
    expect(textsOf(home, atWork)).toEqual(['Work'])
  })

  it('refuses the data folder and anything that is not a folder', async () => {
    const { folder, home } = twoComputers()
    await expect(home.archive.sync({ folder: home.dataDir })).rejects.toMatchObject({ kind: 'bad_input' })
    await expect(home.archive.sync({ folder: join(home.dataDir, 'media') })).rejects.toMatchObject({
      kind: 'bad_input',
    })
    await expect(home.archive.sync({ folder: join(folder, 'missing') })).rejects.toMatchObject({ kind: 'bad_input' })
  })

  it('never writes keys, settings or connections', async () => {
    const { home, sync } = twoComputers()
    home.store.settings.write({ newChatInstructions: 'private-setting' })
    put(home.store, [message()])
    const { file } = await sync(home)
    const entries = unzipSync(readFileSync(file))
    expect(
      Object.keys(entries)
        .map((name) => name.replace(/[\da-f-]{36}/, 'ID'))
        .sort(),
    ).toEqual([...['conversations/ID.json', 'library.json', 'manifest.json', 'sync.json']])
    for (const bytes of Object.values(entries)) expect(Buffer.from(bytes).toString()).not.toContain('private-setting')
  })
})

describe('hostile files', () => {
  it('leaves a chat alone whose ids have other content', async () => {
    const { home, work, sync, syncBoth } = twoComputers()
    const first = message({ text: 'Pay 10' })
    const id = put(home.store, [first])
    await syncBoth()
    home.store.conversations.setName(id, 'New name')
    const { file } = await sync(home)
    forge(file, (name, text) => (name.startsWith('conversations/') ? text.replace('Pay 10', 'Pay 9999') : text))
    const { files, notes } = await sync(work)
    expect(files).toMatchObject([{ outcome: 'merged', changed: 0, messages: 0 }])
    expect(notes).toEqual(['Chats left out because their id is that of different content here: 1.'])
    expect(textsOf(work, id)).toEqual(['Pay 10'])
    expect(work.store.conversations.get(id).title).toBe('A talk')
  })

  it('does not move a message of another chat into its own', async () => {
    const { home, work, sync } = twoComputers()
    const mine = message({ text: 'Mine' })
    const mineId = put(work.store, [mine])
    const theirs = message({ text: 'Mine', id: randomUUID() })
    put(home.store, [theirs])
    const { file } = await sync(home)
    forge(file, (name, text) => (name.startsWith('conversations/') ? text.replaceAll(theirs.id, mine.id) : text))
    await sync(work)
    expect(work.store.conversations.list().map((one) => one.id)).toEqual([mineId])
    expect(textsOf(work, mineId)).toEqual(['Mine'])
  })

  it.each([
    ['an instant beyond all years', (text: string) => text.replace(/"at":\d+/, '"at":9e300')],
    ['an unknown field', (text: string) => text.replace('"title":{', '"colour":{')],
    ['a newer version', (text: string) => text.replace('"version":1', '"version":2')],
    ['no JSON', () => '{'],
  ])('refuses a list of changes with %s', async (_, change) => {
    const { home, work, sync } = twoComputers()
    const id = put(home.store, [message()])
    home.store.conversations.setName(id, 'x')
    const { file } = await sync(home)
    forge(file, (name, text) => (name === 'sync.json' ? change(text) : text))
    const { files } = await sync(work)
    expect(files).toMatchObject([{ outcome: 'refused', problem: expect.stringMatching(/\.$/) }])
    expect(work.store.conversations.list()).toEqual([])
  })
})
