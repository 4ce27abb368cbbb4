import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { citingInstruction, passageBlock } from '../../../../src-main/core/features/chat/passageBlock.ts'
import { send } from '../../../../src-main/core/features/chat/send.ts'
import { createDocuments } from '../../../../src-main/core/features/documents/documents.ts'
import { createProjects } from '../../../../src-main/core/features/projects/projects.ts'
import { databaseFile } from '../../../../src-main/core/store/store.ts'
import { forkNode } from '../../../../src-main/hosts/node/forkNode.ts'
import type { TextEncoding } from '../../../../src-preload/contract/documents.ts'
import { featureOver, settled } from '../../helpers/chatFeature.ts'
import { uploadFile } from '../../helpers/transfers.ts'
import type { Studio } from '../archive/studio.ts'
import { studiosOfTest } from '../archive/studiosOfTest.ts'

const { studio } = studiosOfTest()
const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

function projectOn(on: Studio, wholeTokens = 0) {
  const { store, transfers, media, dataDir, library } = on
  const documents = createDocuments({
    fork: forkNode,
    store,
    uploads: transfers.uploads,
    media,
    replaced: () => projects.wake(),
  })
  const projects = createProjects({
    store,
    databaseFile: databaseFile(dataDir),
    dropMedia: media.drop,
    changed: () => library.note(),
  })
  open.push(documents, projects)
  const { id: folderId } = library.saveFolder({ name: 'Harbour', wholeTokens })
  async function pin(name: string, text: string): Promise<string> {
    const { mediaId } = await documents.add({ uploadId: await uploadFile(transfers, name, Buffer.from(text)) })
    projects.pin({ folderId, mediaId, name })
    await projects.indexed()
    return mediaId
  }
  const context = (text: string, more = {}) => projects.context({ conversationId: null, folderId, text, ...more })
  const chat = featureOver(store, {
    attachDocuments: (all) => documents.attach(all),
    documentText: (document) => documents.blockOf(document),
    attachPassages: (all) => projects.attach(all),
  })
  return { documents, projects, folderId, pin, context, ...chat }
}

const filler = (topic: string): string => `A paragraph about ${topic}, which goes on for a while. `.repeat(25)
const handbook = [
  filler('anchors'),
  'The ferry to Lüneburg leaves at 06:40 from pier seven.',
  filler('ropes'),
  '渡轮每天早上七点从港口出发。',
  filler('sails'),
].join('\n\n')

test('a pinned file that is read in another encoding stays pinned, and its new text is found', {
  tags: 'long',
}, async () => {
  const on = studio()
  const { documents, projects, folderId, context } = projectOn(on)
  const text = `${filler('anchors')}\n\nDie Fähre nach Lüneburg fährt früh.\n\n${filler('ropes')}`
  const uploadId = await uploadFile(on.transfers, 'handbook.txt', Buffer.from(text, 'latin1'))
  const { mediaId, name } = await documents.add({ uploadId })
  projects.pin({ folderId, mediaId, name })
  const read = async (encoding: TextEncoding) => {
    await documents.reread({ mediaId, name, encoding })
    await projects.indexed()
    return (await context('Lüneburg')).passages
  }
  expect((await read('KOI8-R')).map((passage) => passage.text).join()).not.toContain('Lüneburg')
  const found = await read('windows-1252')
  expect(found[0]?.text).toContain('Die Fähre nach Lüneburg')
  expect(projects.attach(found.map(({ number: _, ...place }) => place))).toHaveLength(found.length)
  expect(on.store.pinnedFiles.files(folderId).map((file) => file.mediaId)).toEqual([mediaId])
})

test('a passage that the person removed is not sent, no other takes its place, and the rest is numbered without a gap', {
  tags: 'long',
}, async () => {
  const { pin, context } = projectOn(studio())
  await pin('handbook.md', handbook)
  await pin('more.md', handbook.replaceAll('anchors', 'chains'))
  const { passages } = await context('Anchors, ropes, sails and the ferry')
  expect(passages.length).toBeGreaterThan(3)
  const [, second, third] = passages
  const without = [second, third].flatMap((one) => one ?? [])
  const rest = passages.filter((one) => !without.includes(one))
  const { passages: left } = await context('Anchors, ropes, sails and the ferry', { without })
  expect(left.map(({ text }) => text)).toEqual(rest.map(({ text }) => text))
  expect(left.map(({ number }) => number)).toEqual(rest.map((_, at) => at + 1))
})

test('a question finds the passage of a file, which is sent as it was shown, with a number and how to cite', async () => {
  const on = studio()
  const { pin, context, feature, service, folderId } = projectOn(on)
  const mediaId = await pin('handbook.md', handbook)
  const { documents, passages, indexing } = await context('When does the ferry to LUNEBURG leave?')
  expect(documents).toEqual([])
  expect(indexing).toBe(0)
  const found = passages.find(({ text }) => text.includes('06:40'))
  expect(found).toMatchObject({ mediaId, name: 'handbook.md', part: 1 })
  expect((await context('渡轮什么时候出发？')).passages.some(({ text }) => text.includes('早上七点'))).toBe(true)
  expect((await context('Zebra')).passages).toEqual([])
  const message = { requestId: randomUUID(), conversationId: null, text: 'When?', models: ['m'], folderId }
  const { conversationId, turnId } = await send(feature, { ...message, passages })
  await settled()
  expect(on.store.messages.get(turnId).passages).toEqual(passages)
  expect(service.last.request.messages).toEqual([
    { role: 'system', content: citingInstruction },
    { role: 'user', content: `${passageBlock(passages)}\n\nWhen?` },
  ])
  service.last.say('end')
  await settled()
  // On the same path, the same passage has its number again; an edit of the first message starts from 1.
  const again = await context('The ferry to Lüneburg', { conversationId, folderId: null })
  expect(again.passages.find(({ text }) => text.includes('06:40'))?.number).toBe(found?.number)
  const edited = await context('About sails', { conversationId, folderId: null, parentId: null })
  expect(Math.min(...edited.passages.map(({ number }) => number))).toBe(1)
  // A copy of the chat, an export and its import have the passages.
  const json = await on.saved(await on.archive.exportConversation({ conversationId, format: 'json' }))
  const other = studio()
  const { conversationId: imported } = await other.import(json)
  const leafId = other.store.conversations.get(imported ?? '').leafId
  expect(other.store.messages.filesOn(leafId).passages).toEqual(passages)
})

test('small files are sent whole with the first message, and once', { tags: 'long' }, async () => {
  const on = studio()
  const { pin, context, feature, service, folderId } = projectOn(on, 100)
  await pin('note.txt', 'The key is under the mat.')
  await pin('handbook.md', handbook)
  expect(on.store.folders.list()[0]?.files.map(({ name, isWhole, isIndexed }) => [name, isWhole, isIndexed])).toEqual([
    ['handbook.md', false, true],
    ['note.txt', true, true],
  ])
  const first = await context('Where is the key to the ferry?')
  expect(first.documents.map(({ name, pages }) => [name, pages])).toEqual([['note.txt', null]])
  expect(first.passages.every(({ name }) => name === 'handbook.md')).toBe(true)
  const message = { requestId: randomUUID(), conversationId: null, text: 'Where?', models: ['m'], folderId }
  const { conversationId } = await send(feature, { ...message, documents: first.documents })
  await settled()
  service.last.say('end')
  await settled()
  expect((await context('And now?', { conversationId, folderId: null })).documents).toEqual([])
})

test('any text of a file round-trips in its passages, and any message is searched without an error', {
  tags: 'long',
}, async () => {
  const on = studio()
  const { pin, context, projects, folderId } = projectOn(on)
  const asText = fc.array(
    fc.constantFrom(
      'ferry ',
      'Ärger ',
      '港口',
      '\n\n',
      '. ',
      '"NEAR(a b)" ',
      'a* OR NOT ',
      '😀',
      `${'x'.repeat(800)} `,
      ' ',
    ),
    { minLength: 1, maxLength: 60 },
  )
  await fc.assert(
    fc.asyncProperty(asText, fc.string({ unit: 'binary' }), async (parts, question) => {
      // A failed run leaves its file, which shrinking must not find.
      for (const { mediaId } of on.store.pinnedFiles.files(folderId)) await projects.unpin({ folderId, mediaId })
      await projects.indexed()
      const text = `start ${parts.join('')} end`
      const mediaId = await pin('any.txt', text)
      const stored = on.store.documents.parts({ mediaId, parts: 1, pages: null })[0]?.text ?? ''
      const handle = new DatabaseSync(databaseFile(on.dataDir), { readOnly: true })
      const rows = handle.prepare('SELECT text FROM passages WHERE media_id = ? ORDER BY start').all(mediaId)
      handle.close()
      expect(rows.map((row) => row.text).join('')).toBe(stored)
      for (const wish of [question, 'ferry', '" OR *', 'NEAR(', parts.join('')]) {
        for (const passage of (await context(wish)).passages) {
          expect(stored.slice(passage.start, passage.end)).toBe(passage.text)
          expect(projects.source(passage)).not.toBeNull()
        }
      }
      if (parts.includes('ferry ')) expect((await context('FERRY?')).passages.length).toBeGreaterThan(0)
    }),
    { numRuns: 25 },
  )
  for (const { mediaId } of on.store.pinnedFiles.files(folderId)) await projects.unpin({ folderId, mediaId })
  expect(readdirSync(join(on.dataDir, 'media'))).toEqual([])
})

test('a file stays while a project or a message has it, and a removed file leaves no word behind', {
  tags: 'long',
}, async () => {
  const on = studio()
  const { pin, context, projects, folderId, feature, service } = projectOn(on)
  const mediaId = await pin('secret.txt', `${filler('kookaburras')}`)
  expect(on.store.media.uses().find(({ kind }) => kind === 'chat')).toMatchObject({ items: 1 })
  const { passages } = await context('kookaburras')
  const message = { requestId: randomUUID(), conversationId: null, text: 'x', models: ['m'] }
  await send(feature, { ...message, documents: [{ mediaId, name: 'secret.txt', pages: null }] })
  await settled()
  service.last.say('end')
  await settled()
  await projects.unpin({ folderId, mediaId })
  await projects.indexed()
  expect(on.store.documents.find(mediaId)).not.toBeNull()
  expect((await context('kookaburras')).passages).toEqual([])
  expect(() => projects.attach(passages)).toThrow(/was removed/)
  const handle = new DatabaseSync(databaseFile(on.dataDir), { readOnly: true })
  expect(handle.prepare('SELECT count(*) AS n FROM search_text_words').get()?.n).toBe(0)
  handle.close()
  await expect(projects.unpin({ folderId, mediaId })).rejects.toMatchObject({ kind: 'no_such_item' })
  // A folder that is deleted takes its files with it.
  projects.pin({ folderId, mediaId, name: 'again.txt' })
  on.library.removeFolder({ id: folderId })
  await projects.indexed()
  expect(on.store.passages.isBroken()).toBe(false)
  await expect(context('kookaburras')).resolves.toMatchObject({ passages: [] })
})

test('an index that recovery left empty is written again', { tags: 'long' }, async () => {
  const on = studio()
  const first = projectOn(on)
  await first.pin('handbook.md', handbook)
  const handle = new DatabaseSync(databaseFile(on.dataDir))
  handle.exec("INSERT INTO search_text_passages (search_text_passages) VALUES ('delete-all')")
  handle.close()
  expect((await first.context('ferry')).passages).toEqual([])
  await first.projects.indexed()
  const { passages } = await first.context('ferry')
  expect(passages.some(({ text }) => text.includes('06:40'))).toBe(true)
})
