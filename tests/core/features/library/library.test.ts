import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { implementer } from '../../../../src-main/core/handlers/implementer.ts'
import { libraryHandlers } from '../../../../src-main/core/handlers/library.ts'
import { databaseFile } from '../../../../src-main/core/store/store.ts'
import { type Library as LibraryState, library as libraryState } from '../../../../src-preload/contract/library.ts'
import { testHost } from '../../helpers/core.ts'
import { inFiles, message, put, remove } from '../archive/studio.ts'
import { studiosOfTest } from '../archive/studiosOfTest.ts'

const { studio, close } = studiosOfTest()
const databases = ['studio.sqlite', 'studio.sqlite-wal']
const day = 86_400_000

describe('folders, prompts and presets', () => {
  it('are created, changed and deleted, and published as a whole', async () => {
    const on = studio()
    const host = testHost(on.dataDir).host
    const feature = libraryHandlers(implementer(host).library, host, on.library)
    const events = (await call(feature.watch, undefined))[Symbol.asyncIterator]()
    expect((await events.next()).value).toEqual({ folders: [], prompts: [], presets: [], removed: 0 })
    const folder = await call(feature.saveFolder, { name: '  Work ' })
    const prompt = await call(feature.savePrompt, { name: 'Ask', text: 'Dear {{name}}' })
    const preset = await call(feature.savePreset, {
      name: 'Cold',
      model: null,
      instructions: null,
      params: { temperature: 0 },
    })
    const id = put(on.store, [message()], { folderId: folder.id })
    on.library.note()
    let last = on.library.state.read()
    const defaults = { model: null, instructions: null, params: null, wholeTokens: 8000, files: [] }
    expect(last.folders).toEqual([{ id: folder.id, name: 'Work', conversations: 1, ...defaults }])
    expect(last.prompts).toMatchObject([{ id: prompt.id, name: 'Ask', text: 'Dear {{name}}' }])
    expect(last.presets).toMatchObject([{ id: preset.id, params: { temperature: 0 } }])
    await call(feature.saveFolder, { id: folder.id, name: 'Work', model: 'm', instructions: 'Be brief.' })
    // A new name alone changes nothing else.
    await call(feature.saveFolder, { id: folder.id, name: 'Play' })
    await call(feature.savePrompt, { id: prompt.id, name: 'Ask', text: 'Hi' })
    await call(feature.savePreset, { id: preset.id, name: 'Cold', model: 'm', instructions: 'i', params: {} })
    const next = async (): Promise<LibraryState> => libraryState.parse((await events.next()).value)
    let state = await next()
    while (state.folders[0]?.name !== 'Play' || state.presets[0]?.model !== 'm') state = await next()
    expect(state.folders[0]).toMatchObject({ model: 'm', instructions: 'Be brief.' })
    expect(state.prompts[0]?.text).toBe('Hi')
    await call(feature.removeFolder, { id: folder.id })
    await call(feature.removePrompt, { id: prompt.id })
    await call(feature.removePreset, { id: preset.id })
    last = on.library.state.read()
    expect([last.folders, last.prompts, last.presets]).toEqual([[], [], []])
    expect(on.store.archive.conversation(id)?.folderId).toBeNull()
    await events.return?.()
  })

  it('cannot be changed if they do not exist, and cannot have a blank name', async () => {
    const on = studio()
    const host = testHost(on.dataDir).host
    const feature = libraryHandlers(implementer(host).library, host, on.library)
    const nobody = randomUUID()
    const gone = { data: { kind: 'no_such_item' } }
    await expect(call(feature.saveFolder, { id: nobody, name: 'a' })).rejects.toMatchObject(gone)
    await expect(call(feature.removeFolder, { id: nobody })).rejects.toMatchObject(gone)
    await expect(call(feature.savePrompt, { id: nobody, name: 'a', text: 'b' })).rejects.toMatchObject(gone)
    await expect(call(feature.removePreset, { id: nobody })).rejects.toMatchObject(gone)
    await expect(call(feature.saveFolder, { name: '   ' })).rejects.toMatchObject({ data: { kind: 'bad_input' } })
  })
})

describe('a removed conversation', () => {
  it('is listed by removal, newest first, with the day of its permanent deletion', () => {
    const on = studio()
    const old = put(on.store, [message(), message()], { title: 'old' })
    const young = put(on.store, [message()], { title: 'young' })
    remove(on.store, old, '2026-01-01T00:00:00.000Z')
    remove(on.store, young, '2026-01-03T00:00:00.000Z')
    expect(on.library.removed()).toEqual([
      {
        id: young,
        title: 'young',
        messages: 1,
        removedAt: '2026-01-03T00:00:00.000Z',
        erasedAt: '2026-02-02T00:00:00.000Z',
      },
      {
        id: old,
        title: 'old',
        messages: 2,
        removedAt: '2026-01-01T00:00:00.000Z',
        erasedAt: '2026-01-31T00:00:00.000Z',
      },
    ])
    expect(on.library.state.read().removed).toBe(2)
  })

  it('is deleted permanently with its words, bodies and images; images in use elsewhere stay', async () => {
    const on = studio()
    const alone = await on.picture(1)
    const shared = await on.picture(2)
    const show = (mediaId: string) => ({ ...on.media.find(mediaId), detail: null })
    const text = 'the secret word is Xylophonist'
    const going = put(
      on.store,
      [
        message({
          text,
          attachments: [show(alone.mediaId), show(shared.mediaId)],
          reasoning: 'thinking of Xylophonists',
        }),
      ],
      { title: 'Xylophonist', draft: 'Xylophonist!' },
    )
    const staying = put(on.store, [message({ text: 'stays', attachments: [show(shared.mediaId)] })])
    on.store.replyJournal.append(on.store.archive.message(on.store.archive.seqs(going)[0] ?? 0)?.id ?? '', {
      text: 'piece of Xylophonist',
      reasoning: '',
      refusal: '',
      toolCalls: null,
    })
    on.store.toolPermissions.allow({ toolId: 'function:x', conversationId: going, fingerprint: 'f' })
    on.library.note()
    await on.library.indexed()
    const words = { text: 'xylophonist', conversationId: null, limit: 50 }
    expect((await on.library.search(words)).hits).toHaveLength(2)
    remove(on.store, going)
    expect(await on.library.erase([going, staying, randomUUID()])).toEqual({ erased: 1 })
    expect((await on.library.search(words)).hits).toEqual([])
    expect(on.dropped).toEqual([alone.mediaId])
    expect(existsSync(join(on.dataDir, 'media', alone.mediaId))).toBe(false)
    expect(existsSync(join(on.dataDir, 'media', shared.mediaId))).toBe(true)
    expect(on.store.archive.state(going)).toBeNull()
    expect(on.store.archive.state(staying)).toBe('here')
    // Neither in a table, a free page, the index nor the write-ahead log.
    for (const word of ['Xylophonist', 'xylophonist']) expect(inFiles(on.dataDir, databases, word)).toEqual([])
    expect(inFiles(on.dataDir, databases, 'stays')).not.toEqual([])
  })

  it('is deleted permanently after thirty days, and the log has the number', async () => {
    const now = Date.now()
    const on = studio(undefined, () => now)
    const old = put(on.store, [message()])
    const young = put(on.store, [message()])
    remove(on.store, old, new Date(now - 31 * day).toISOString())
    remove(on.store, young, new Date(now - 29 * day).toISOString())
    expect(await on.library.sweep()).toBe(1)
    expect(on.lines).toEqual(['info Permanently deleted 1 conversations that were removed more than 30 days ago.'])
    expect([on.store.archive.state(old), on.store.archive.state(young)]).toEqual([null, 'removed'])
  })

  it('whose deletion a crash interrupted cannot be restored, and is deleted by the next start', async () => {
    const on = studio()
    const picture = await on.picture(3)
    const id = put(on.store, [
      ...Array.from({ length: 40 }, (_, at) => message({ text: `quokka ${at}` })),
      message({ attachments: [{ ...on.media.find(picture.mediaId), detail: null }] }),
    ])
    await on.library.indexed()
    remove(on.store, id)
    // The state after a crash at the first step.
    on.store.erasures.plan('conversation', [id])
    on.store.journal(() => {
      expect(on.store.erasures.step(id, 5, 1000)).toEqual({ done: false, indexed: true })
      on.store.search.markDirty()
    })
    expect(on.library.removed()).toEqual([])
    on.store.conversations.setRemoved(id, null)
    expect(on.store.archive.state(id)).toBe('going')
    await close(on)
    const again = studio(on.dataDir)
    await again.library.sweep()
    expect(again.store.archive.state(id)).toBeNull()
    expect(again.dropped).toEqual([picture.mediaId])
    expect(inFiles(again.dataDir, databases, 'quokka')).toEqual([])
    expect(again.store.erasures.planned('media')).toEqual([])
  })

  it('lists the rows of the request log whose bodies are deleted too', async () => {
    const on = studio()
    const one = message({ role: 'assistant', text: 'x' })
    const id = put(on.store, [one])
    on.store.messages.settle(one.id, { ...on.store.messages.get(one.id), requestRow: 77 })
    remove(on.store, id)
    await on.library.erase()
    expect(on.erasedRows).toEqual([77])
    expect(databaseFile(on.dataDir)).toContain(on.dataDir)
  })
})
