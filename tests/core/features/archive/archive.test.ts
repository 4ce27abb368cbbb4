import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import type { ArchivedMessage } from '../../../../src-main/core/store/archive.ts'
import { tries } from '../../../helpers/effort.ts'
import { everything, message, put, remove, type Studio, sha256 } from './studio.ts'
import { studiosOfTest } from './studiosOfTest.ts'

const { studio, close } = studiosOfTest()
const uuid = fc.uuid({ version: 4 })
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('```\nopen fence', '\u0000nul', '日本語 \u202Ertl', '"quotes" \\ {"a":1}', '\r\n', ''),
)
const wellFormed = text.map((value) => value.toWellFormed())
const instant = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const name = fc.string({ minLength: 1, maxLength: 30 }).map((value) => value.toWellFormed().trim() || 'x')
const settled = fc.constantFrom('complete', 'stopped', 'incomplete', 'failed')

const anyMessage = fc.record({
  id: uuid,
  // Picks the parent among the messages before it.
  under: fc.nat(),
  role: fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool'),
  name: fc.option(wellFormed.map((value) => value.slice(0, 60).toWellFormed())),
  text: wellFormed,
  reasoning: wellFormed,
  refusal: wellFormed,
  toolCalls: fc.array(
    fc.record({ index: fc.nat(9), id: fc.option(wellFormed), name: wellFormed, arguments: wellFormed }),
    { maxLength: 2 },
  ),
  run: fc.option(
    fc.record({
      callId: wellFormed,
      name: wellFormed,
      arguments: wellFormed,
      state: fc.constantFrom('done', 'denied', 'invalid', 'unknown_tool', 'stopped', 'timed_out', 'failed'),
      tool: fc.option(
        fc.record({ id: wellFormed, kind: fc.constantFrom('function', 'mcp'), server: fc.option(wellFormed) }),
      ),
      allowed: fc.option(fc.constantFrom('once', 'conversation', 'always')),
      isError: fc.boolean(),
      notes: fc.array(wellFormed, { maxLength: 2 }),
      startedAt: fc.option(instant),
      finishedAt: fc.option(instant),
    }),
  ),
  status: settled,
  problem: fc.option(fc.record({ kind: fc.constantFrom('bug', 'internal', 'cancelled'), message: wellFormed })),
  model: fc.option(wellFormed),
  finishReason: fc.option(fc.constantFrom('stop', 'length')),
  usage: fc.option(
    fc.record({
      promptTokens: fc.option(fc.nat()),
      completionTokens: fc.option(fc.nat()),
      totalTokens: fc.option(fc.nat()),
      cachedTokens: fc.option(fc.nat()),
    }),
  ),
  createdAt: instant,
  finishedAt: fc.option(instant),
  firstTokenMs: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
  reasoningMs: fc.option(fc.nat()),
  requestId: fc.option(wellFormed),
  askId: fc.option(uuid),
  made: fc.option(fc.constant('continue' as const)),
  cost: fc.option(fc.constantFrom('0', '0.000000001', '12.5')),
  costIs: fc.constantFrom('measured', 'estimated', 'unknown'),
  params: fc.option(
    fc.record(
      {
        temperature: fc.double({ min: 0, max: 2, noNaN: true }).map((value) => value + 0),
        n: fc.integer({ min: 1, max: 8 }),
        extra: fc.dictionary(
          name,
          fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value).toWellFormed()) as never),
        ),
      },
      { requiredKeys: [] },
    ),
  ),
  jsonFaults: fc.option(fc.array(wellFormed, { maxLength: 2 })),
  picture: fc.option(fc.nat(3), { freq: 3 }),
})
const anyConversation = fc.record({
  title: fc.option(wellFormed),
  updatedAt: instant,
  draft: wellFormed,
  pinned: fc.boolean(),
  archivedAt: fc.option(instant),
  folder: fc.boolean(),
  leaf: fc.nat(),
  messages: fc.uniqueArray(anyMessage, { maxLength: 12, selector: ({ id }) => id }),
})

type Generated = typeof anyConversation extends fc.Arbitrary<infer T> ? T : never

/** Fills a studio with these conversations, a folder, a prompt and a preset. */
async function fill(on: Studio, all: readonly Generated[]): Promise<void> {
  const folder = on.library.saveFolder({ name: 'Folder' })
  on.library.savePrompt({ name: 'Prompt', text: 'Say {{what=hello}} \u0000' })
  on.library.savePreset({
    name: 'Preset',
    model: null,
    instructions: 'x',
    params: { stop: ['a'], extra: { z: 1, a: [null] } },
  })
  const pictures = await Promise.all([1, 2, 3, 4].map((side) => on.picture(side, 5)))
  const taken = new Set<string>()
  for (const { messages, folder: inFolder, leaf, ...rest } of all) {
    const fresh = messages.filter(({ id }) => !taken.has(id))
    const put_ = fresh.map(({ under, picture, ...one }, at): ArchivedMessage => {
      taken.add(one.id)
      const shown = picture === null ? null : pictures[picture]
      return message({
        ...one,
        params: one.params ?? null,
        parentId: at === 0 || under % 5 === 0 ? null : (fresh[under % at]?.id ?? null),
        nextId: fresh[at + 1]?.id ?? null,
        attachments: shown ? [{ ...shown, detail: under % 2 ? 'high' : null, name: one.name }] : [],
      })
    })
    const leafId = put_.length > 0 ? (put_[leaf % put_.length]?.id ?? null) : null
    put(on.store, put_, { ...rest, folderId: inFolder ? folder.id : null, leafId })
  }
}
/** All entries of an archive as text, without the time of the export. */
function entries(zip: Uint8Array): Record<string, string> {
  const all = Object.fromEntries(
    Object.entries(unzipSync(zip)).map(([file, bytes]) => [file, Buffer.from(bytes).toString('latin1')]),
  )
  const { 'manifest.json': manifest = '', ...rest } = all
  return { ...rest, 'manifest.json': manifest.replace(/"createdAt": "[^"]*"/, '') }
}

describe('an export of everything, imported into an empty studio', () => {
  it('is the same byte for byte when exported again, and is skipped as known when imported again', {
    tags: 'long',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyConversation, { maxLength: 5 }), async (all) => {
        const from = studio()
        await fill(from, all)
        const zip = await from.exported()
        const to = studio()
        const report = await to.import(zip)
        expect(report).toMatchObject({ kind: 'archive', conversations: all.length, known: 0, notes: [] })
        const again = await to.exported()
        expect(entries(again)).toEqual(entries(zip))
        const before = everything(to.store)
        expect(await to.import(zip)).toMatchObject({ conversations: 0, known: all.length, notes: [] })
        expect(everything(to.store)).toEqual(before)
        await close(from)
        await close(to)
      }),
      { numRuns: tries(8, 60) },
    )
  })

  it('is also the same for a single conversation with its images in one file', {
    tags: 'long',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(anyConversation, async (one) => {
        const from = studio()
        await fill(from, [{ ...one, folder: false }])
        const [id = ''] = from.store.archive.ids()
        const file = await from.saved(await from.archive.exportConversation({ conversationId: id, format: 'json' }))
        const to = studio()
        expect(await to.import(file)).toMatchObject({
          kind: 'conversation',
          conversations: 1,
          conversationId: id,
          notes: [],
        })
        const again = await to.saved(await to.archive.exportConversation({ conversationId: id, format: 'json' }))
        expect(again.equals(file)).toBe(true)
        await close(from)
        await close(to)
      }),
      { numRuns: tries(8, 60) },
    )
  })

  it('leaves no temporary files, and search finds the imported messages', { tags: 'long' }, async () => {
    const from = studio()
    put(from.store, [message({ text: 'a bandicoot' })])
    const to = studio()
    await to.import(await from.exported())
    expect(readdirSync(join(to.dataDir, 'tmp'))).toEqual([])
    expect(readdirSync(join(from.dataDir, 'tmp'))).toEqual([])
    await to.library.indexed()
    expect((await to.library.search({ text: 'bandicoot', conversationId: null, limit: 5 })).hits).toHaveLength(1)
    expect(to.added).toEqual(to.store.archive.ids())
  })
})

describe('a conversation that exists already', () => {
  it('is skipped even if it was moved, archived or has a draft; with different contents it is imported once as a copy', async () => {
    const on = studio()
    const one = message({ text: 'one' })
    const id = put(on.store, [one, message({ parentId: one.id, text: 'two', askId: randomUUID() })])
    const zip = await on.exported()
    on.store.conversations.setDraft(id, 'half')
    on.store.conversations.setPinned(id, true)
    expect(await on.import(zip)).toMatchObject({ known: 1, conversations: 0 })
    on.store.messages.insert({
      id: randomUUID(),
      conversationId: id,
      parentId: one.id,
      role: 'user',
      text: 'three',
      status: 'complete',
      model: null,
      createdAt: new Date().toISOString(),
    })
    const report = await on.import(zip)
    expect(report).toMatchObject({ known: 0, conversations: 1, messages: 2 })
    expect(report.notes).toEqual(['Chats that exist already with different contents, imported as copies: 1.'])
    const copy = report.conversationId ?? ''
    expect(copy).not.toBe(id)
    const ids = on.store.archive.seqs(copy).map((seq) => on.store.archive.message(seq))
    expect(ids.map((each) => each?.text)).toEqual(['one', 'two'])
    expect(ids[1]?.parentId).toBe(ids[0]?.id)
    expect(on.store.conversations.get(copy).messages).toBe(2)
    expect(await on.import(zip)).toMatchObject({ known: 1, conversations: 0 })
  })

  it('is restored if it was removed', async () => {
    const on = studio()
    const id = put(on.store, [message()])
    const zip = await on.exported()
    remove(on.store, id)
    expect(await on.import(zip)).toMatchObject({ known: 0, conversations: 1, conversationId: id })
    expect(on.store.archive.state(id)).toBe('here')
  })
})

it('an image of a running import survives the permanent deletion of another chat', async () => {
  const from = studio()
  const image = await from.picture(8)
  put(from.store, [message({ text: 'third', attachments: [{ ...image, detail: null }] })])
  const zip = await from.exported()
  const on = studio()
  const other = put(on.store, [message({ text: 'Deleted meanwhile.' })])
  remove(on.store, other)
  const { importFile } = on.media
  on.media.importFile = async (given) => {
    const picture = await importFile(given)
    await on.library.erase([other])
    return picture
  }
  expect(await on.import(zip)).toMatchObject({ conversations: 1, pictures: 1 })
  expect(on.store.archive.state(other)).toBeNull()
  await on.library.sweep()
  expect(readdirSync(join(on.dataDir, 'media'))).toContain(image.mediaId)
})

describe('a file that cannot be imported', () => {
  const base = async (): Promise<Record<string, Uint8Array>> => {
    const from = studio()
    const root = message({ text: 'first' })
    put(from.store, [root, message({ parentId: root.id, text: 'second' })])
    put(from.store, [message({ text: 'third', attachments: [{ ...(await from.picture(8)), detail: null }] })])
    const zip = unzipSync(await from.exported())
    await close(from)
    return zip
  }
  const conversationOf = (files: Record<string, Uint8Array>): string =>
    Object.keys(files).find(
      (file) => file.startsWith('conversations/') && strFromU8(files[file] ?? new Uint8Array()).includes('"first"'),
    ) ?? ''
  /** Changes one conversation and adapts the manifest, as an attacker would. */
  const with_ = (files: Record<string, Uint8Array>, change: (text: string) => string): Record<string, Uint8Array> => {
    const file = conversationOf(files)
    const changed = strToU8(change(strFromU8(files[file] ?? new Uint8Array())))
    const manifest = JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array())) as {
      entries: { name: string }[]
    }
    const entries = manifest.entries.map((entry) =>
      entry.name === file ? { name: file, bytes: changed.length, sha256: sha256(changed) } : entry,
    )
    return { ...files, [file]: changed, 'manifest.json': strToU8(JSON.stringify({ ...manifest, entries })) }
  }
  async function refused(file: Uint8Array | string, words: RegExp): Promise<void> {
    const on = studio()
    put(on.store, [message({ text: 'was here' })])
    const before = everything(on.store)
    await expect(on.import(file)).rejects.toMatchObject({ kind: 'bad_input', message: expect.stringMatching(words) })
    expect(everything(on.store)).toEqual(before)
    expect(readdirSync(join(on.dataDir, 'tmp'))).toEqual([])
    expect(readdirSync(join(on.dataDir, 'media'))).toEqual([])
    expect(on.added).toEqual([])
    await close(on)
  }

  /** Imports a file in which one record is bad: the chat with the text `third` arrives, and the bad record is named with its reason. */
  async function partial(file: Uint8Array, words: RegExp): Promise<void> {
    const on = studio()
    const { conversations, leftOut } = await on.import(file)
    expect(leftOut).toEqual([{ title: expect.stringMatching(/./), reason: expect.stringMatching(words) }])
    expect(conversations).toBeGreaterThan(0)
    expect(
      on.store.conversations
        .list()
        .flatMap(({ leafId }) => on.store.messages.path(leafId))
        .map(({ text }) => text),
    ).toContain('third')
    expect(on.store.erasures.planned('import')).toEqual([])
    expect(readdirSync(join(on.dataDir, 'tmp'))).toEqual([])
    await close(on)
  }

  it('is refused for its contents with one sentence, and imports nothing', { tags: 'long' }, async () => {
    const files = await base()
    const file = conversationOf(files)
    await refused('', /neither/)
    await refused('hello', /neither/)
    await refused('{"a":1}', /neither/)
    await refused('[1,2,3]', /neither/)
    await refused('{"format":"inference-studio.conversation","version":1', /damaged/)
    await refused('{"format":"inference-studio.conversation","version":2,"conversation":{},"messages":[]}', /newer/)
    await refused(
      zipSync({ ...files, 'manifest.json': strToU8('{"format":"inference-studio.archive","version":2}') }),
      /newer/,
    )
    await refused(zipSync({ 'readme.txt': strToU8('hi') }), /neither/)
    await partial(zipSync({ ...files, [file]: strToU8('{}') }), /does not match its manifest/)
    const other = strToU8(strFromU8(files[file] ?? new Uint8Array()).replace('first', 'fir5t'))
    await partial(zipSync({ ...files, [file]: other }), /does not match its manifest/)
    await partial(zipSync({ ...files, 'conversations/more.json': strToU8('{}') }), /does not name/)
    const { [file]: _, ...without } = files
    await partial(zipSync(without), /is missing/)
    await partial(zipSync(with_(files, (text) => text.replace('"role":"user"', '"role":"king"'))), /format/)
    await partial(zipSync(with_(files, (text) => text.replace('"text":"first"', '"text":12'))), /format/)
    await partial(
      zipSync(with_(files, (text) => text.replace(/"id":"[^"]*"/, `"id":"${randomUUID()}"`))),
      /not its own/,
    )
    await partial(zipSync(with_(files, (text) => text.slice(0, -4))), /damaged/)
  })

  it('is left out for its tree: duplicate ids, cycles, missing parents, a missing leaf', async () => {
    const files = await base()
    const [first = '', second = ''] = [
      ...strFromU8(files[conversationOf(files)] ?? new Uint8Array()).matchAll(/\{"id":"([^"]*)","parentId"/g),
    ].map(([, id]) => id ?? '')
    expect([first, second].every(Boolean)).toBe(true)
    await partial(zipSync(with_(files, (text) => text.replace(`{"id":"${second}"`, `{"id":"${first}"`))), /same id/)
    await partial(zipSync(with_(files, (text) => text.replace(`"parentId":null`, `"parentId":"${second}"`))), /parent/)
    await partial(
      zipSync(with_(files, (text) => text.replace(`"parentId":"${first}"`, `"parentId":"${second}"`))),
      /parent/,
    )
    await partial(
      zipSync(with_(files, (text) => text.replace(`"parentId":"${first}"`, `"parentId":"${randomUUID()}"`))),
      /parent/,
    )
    await partial(
      zipSync(with_(files, (text) => text.replace(/"leafId":"[^"]*"/, `"leafId":"${randomUUID()}"`))),
      /last message/,
    )
  })

  it('is refused for its zip: truncation, names that lead out, duplicate names, a zip bomb', {
    tags: 'long',
  }, async () => {
    const files = await base()
    const zip = zipSync(files)
    for (const part of [0.1, 0.5, 0.9, 0.99])
      await refused(zip.subarray(0, Math.floor(zip.length * part)), /The file is damaged or cut off/)
    for (const evil of ['../evil.json', '/etc/passwd', '..\\evil.json', 'conversations/../../x']) {
      await refused(zipSync({ ...files, [evil]: strToU8('x') }), /leads out/)
    }
    const twice = Buffer.from(zipSync({ 'a.json': strToU8('x'), 'b.json': strToU8('y') }))
    await refused(Buffer.from(twice.toString('latin1').replaceAll('b.json', 'a.json'), 'latin1'), /same name/)
    const bomb = Buffer.alloc(100 * 1024 * 1024, '[')
    await refused(zipSync({ 'conversations.json': bomb }, { level: 9 }), /more data than is safe/)
    await refused(`{"format":"inference-studio.conversation","x":${'['.repeat(5000)}${']'.repeat(5000)}}`, /nested/)
  })

  it('never imports a byte that has changed: its chat is left out and named, or the archive is refused', async () => {
    const zip = zipSync(await base(), { level: 0 })
    await fc.assert(
      fc.asyncProperty(fc.nat(zip.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const bytes = Uint8Array.from(zip)
        bytes[at] = (bytes[at] ?? 0) ^ by
        const on = studio()
        const before = everything(on.store)
        try {
          // Bytes without content (a time, the version of the packer) may differ.
          const { conversations, leftOut } = await on.import(bytes)
          if (leftOut.length === 0) expect(conversations).toBe(2)
          const texts = on.store.conversations.list().flatMap(({ leafId }) => on.store.messages.path(leafId))
          for (const { text } of texts) expect(['first', 'second', 'third']).toContain(text)
        } catch (thrown) {
          expect(thrown).toMatchObject({ kind: 'bad_input' })
          expect(everything(on.store)).toEqual(before)
        }
        await close(on)
      }),
      { numRuns: tries(15, 120) },
    )
  }, 120_000)

  it('accepts five megabytes in one message, and replaces lone surrogates', { tags: 'long' }, async () => {
    const files = await base()
    const large = 'é'.repeat(5_000_000)
    const on = studio()
    const report = await on.import(
      zipSync(with_(files, (text) => text.replace('first', large).replace('second', 'a\\ud800b \\ud83d\\ude00 c'))),
    )
    expect(report.notes).toEqual(['Texts with incomplete characters (lone surrogates), which were replaced by �: 1.'])
    const texts = on.store.archive
      .ids()
      .flatMap((id) => on.store.archive.seqs(id).map((seq) => on.store.archive.message(seq)?.text))
    expect(texts).toContain('a�b 😀 c')
    expect(texts.some((one) => one === large)).toBe(true)
  })

  it('cannot start anything', async () => {
    const run = {
      callId: 'c',
      name: 'rm',
      arguments: '{}',
      state: 'awaiting' as const,
      allowed: 'always' as const,
      isError: false,
      tool: { id: 'function:x', kind: 'function' as const, server: null },
      notes: [],
      startedAt: null,
      finishedAt: null,
    }
    const from = studio()
    put(from.store, [message({ role: 'tool', status: 'pending', run, text: '' })])
    const zip = await from.exported()
    expect(strFromU8(Object.values(unzipSync(zip))[0] ?? new Uint8Array())).not.toContain('awaiting')
    const id = from.store.archive.ids()[0] ?? ''
    const file = await from.saved(await from.archive.exportConversation({ conversationId: id, format: 'json' }))
    const on = studio()
    await on.import(
      file
        .toString()
        .replace('"state":"stopped"', '"state":"running"')
        .replace('"status":"stopped"', '"status":"pending"'),
    )
    expect(on.store.messages.openCalls()).toEqual([])
  })

  it('is deleted by the next start if a crash interrupted its import', async () => {
    const on = studio()
    on.store.archive.stage(
      {
        id: randomUUID(),
        title: 'half',
        model: null,
        createdAt: '2026-01-01T00:00:00.000Z',
        draft: '',
        folderId: null,
        updatedAt: '2026-01-01T00:00:00.000Z',
        pinned: false,
        archivedAt: null,
        leafId: null,
        importKey: null,
        setup: on.store.conversations.setup(randomUUID()),
      },
      new Date().toISOString(),
    )
    expect(on.library.removed()).toEqual([])
    const { dataDir } = on
    await close(on)
    const again = studio(dataDir)
    await again.library.sweep()
    expect(again.store.erasures.planned('conversation')).toEqual([])
    expect(again.store.archive.ids()).toEqual([])
  })
})

describe('a conversation as Markdown', () => {
  it('has only the active path, with folded reasoning, and tool calls in fences that their content cannot close', async () => {
    const on = studio()
    const call = { index: 0, id: 'c', name: 'look_up', arguments: '{"q":"```"}' }
    const run = {
      callId: 'c',
      name: 'look_up',
      arguments: '{"q":1}',
      state: 'done' as const,
      tool: null,
      allowed: null,
      isError: false,
      notes: [],
      startedAt: null,
      finishedAt: null,
    }
    const ask = message({
      text: 'What?',
      attachments: [{ ...(await on.picture(4, 3)), detail: null, name: 'a `b`.png' }],
    })
    const calls = message({
      role: 'assistant',
      parentId: ask.id,
      text: '',
      toolCalls: [call],
      reasoning: 'Hm </details> ```',
      model: 'm-1',
    })
    const result = message({ role: 'tool', parentId: calls.id, text: 'out\n````\nmore', run })
    const reply = message({ role: 'assistant', parentId: result.id, text: 'So:\n```js\nlet a', status: 'stopped' })
    const other = message({ role: 'assistant', parentId: ask.id, text: 'the branch not taken' })
    const id = put(on.store, [ask, calls, other, result, reply], { leafId: reply.id, title: 'Ask [me] *this*' })
    const download = await on.archive.exportConversation({ conversationId: id, format: 'markdown' })
    expect(download).toMatchObject({ name: 'Ask [me] this.md', mime: 'text/markdown' })
    const markdown = (await on.saved(download)).toString()
    expect(markdown).toBe(
      [
        ...['# Ask \\[me\\] \\*this\\*', '', '2026-01-01 00:00 UTC · `m`', ''],
        ...['## You · 2026-01-01 00:00 UTC', '', '*Image: `` a `b`.png ``, 4 × 3*', '', 'What?', ''],
        ...['## Assistant · `m-1` · 2026-01-01 00:00 UTC', '', '<details><summary>Reasoning</summary>', ''],
        ...['````text', 'Hm </details> ```', '````', '', '</details>', ''],
        ...['*Calls `look_up`:*', '', '````json', '{"q":"```"}', '````', ''],
        // The result and the rest of the reply have no heading of their own.
        ...['*Called `look_up`: done*', '', '```json', '{"q":1}', '```', ''],
        ...['`````text', 'out', '````', 'more', '`````', ''],
        ...['So:', '```js', 'let a', '```', '', '*Stopped.*', ''],
      ].join('\n'),
    )
    expect(markdown).not.toContain('not taken')
  })

  it('gives a continued reply one heading, and leaves out the request to continue it', async () => {
    const on = studio()
    const ask = message({ text: 'What?' })
    const cut = message({ role: 'assistant', parentId: ask.id, text: 'One and', finishReason: 'length' })
    const request = message({ parentId: cut.id, text: 'Continue exactly there.', made: 'continue' })
    const rest = message({ role: 'assistant', parentId: request.id, text: 'two.' })
    const id = put(on.store, [ask, cut, request, rest], { leafId: rest.id })
    const download = await on.archive.exportConversation({ conversationId: id, format: 'markdown' })
    const markdown = (await on.saved(download)).toString()
    expect(markdown.match(/^## .*/gm)).toHaveLength(2)
    expect(markdown).toContain('One and\n\ntwo.\n')
    expect(markdown).not.toContain('Continue exactly there.')
  })

  it('has any number of pieces of code in one text', async () => {
    const on = studio()
    const reply = message({ role: 'assistant', text: 'So.', reasoning: '`a '.repeat(200_000) })
    const id = put(on.store, [reply], { leafId: reply.id })
    const download = await on.archive.exportConversation({ conversationId: id, format: 'markdown' })
    expect((await on.saved(download)).toString().slice(0, 300)).toContain('```text\n`a `a')
  })

  it('can be empty, and is refused for removed and unknown conversations', async () => {
    const on = studio()
    const id = put(on.store, [])
    expect((await on.archive.exportConversation({ conversationId: id, format: 'markdown' })).bytes).toBeGreaterThan(0)
    remove(on.store, id)
    for (const conversationId of [id, randomUUID()]) {
      await expect(on.archive.exportConversation({ conversationId, format: 'json' })).rejects.toMatchObject({
        kind: 'no_such_item',
      })
    }
  })
})
