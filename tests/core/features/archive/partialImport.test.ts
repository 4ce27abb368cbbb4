import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { tries } from '../../../helpers/effort.ts'
import { freshFolder } from '../../helpers/core.ts'
import { addFolder, everything, message, put, sha256 } from './studio.ts'
import { studiosOfTest } from './studiosOfTest.ts'

const { studio, close } = studiosOfTest()

const json = (value: unknown): string => JSON.stringify(value)

/** A conversation in the form of ChatGPT with one message. */
const exported = (title: string) => ({
  title,
  create_time: 1_700_000_000,
  update_time: 1_700_000_000,
  conversation_id: randomUUID(),
  current_node: 'a',
  mapping: {
    a: {
      id: 'a',
      parent: null,
      children: [],
      message: {
        id: 'a',
        author: { role: 'user' },
        create_time: 1_700_000_000,
        content: { content_type: 'text', parts: [`Text of ${title}`] },
      },
    },
  },
})

/** Ways to break one conversation of an export of ChatGPT. The title stays readable where the JSON does. */
const breaks: Record<string, (one: ReturnType<typeof exported>) => string> = {
  'no mapping': ({ mapping: _, ...one }) => json(one),
  'mapping null': (one) => json({ ...one, mapping: null }),
  'mapping a list': (one) => json({ ...one, mapping: [1, 2] }),
  'mapping a text': (one) => json({ ...one, mapping: 'x' }),
  'wrong brackets': (one) => `{"title":${json(one.title)},"mapping":{"a":[}}}`,
  'no JSON': (one) => `{"title":${json(one.title)},"mapping":{"a":nul}}`,
  'nested too deeply': (one) => `{"title":${json(one.title)},"mapping":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}`,
  'a control character': (one) => `{"title":${json(one.title)},"mapping":{"a":"\u0001"}}`,
}

const titlesOf = ({ store }: ReturnType<typeof studio>): string[] =>
  store.conversations
    .list()
    .map(({ title }) => title ?? '')
    .sort()

describe('an export of ChatGPT', () => {
  it('with one conversation without messages brings the others, and names it', async () => {
    const on = studio()
    const { mapping: _, ...shell } = exported('Shell')
    for (const [name, all] of [
      ['first', [shell, exported('Good 1')]],
      ['last', [exported('Good 2'), shell]],
    ] as const) {
      const report = await on.import(json(all), name)
      expect(report).toMatchObject({ kind: 'chatgpt', conversations: 1, leftOutMore: 0 })
      expect(report.leftOut).toEqual([{ title: 'Shell', reason: 'It has no messages.' }])
    }
    expect(titlesOf(on)).toEqual(['Good 1', 'Good 2'])
  })

  it('in a zip with several files does the same, whichever file is damaged', async () => {
    const on = studio()
    const { mapping: _, ...shell } = exported('Shell')
    const report = await on.import(
      zipSync({
        'conversations-000.json': strToU8(json([exported('Good 1')])),
        'conversations-001.json': strToU8(json([shell])),
        'conversations-002.json': strToU8(`${json([exported('Good 2'), exported('Lost')]).slice(0, -30)}`),
        'conversations-003.json': strToU8('nothing'),
      }),
    )
    expect(titlesOf(on)).toEqual(['Good 1', 'Good 2'])
    expect(report.leftOut.map(({ title }) => title).sort()).toEqual([
      'Shell',
      'conversations-002.json',
      'conversations-003.json',
    ])
  })

  it('leaves out broken messages, and names their conversation once', async () => {
    const on = studio()
    const one = exported('Half')
    Object.assign(one.mapping, {
      b: { parent: 'a', children: [], message: { content: 7 } },
      c: { parent: 'a', children: [], message: 'x' },
      d: null,
    })
    const report = await on.import(json([one]))
    expect(titlesOf(on)).toEqual(['Half'])
    expect(report.leftOut).toEqual([
      {
        title: 'Half',
        reason: 'Messages left out because they do not match the format of ChatGPT: 3. The others were imported.',
      },
    ])
  })

  it('names a conversation of which nothing remains, and messages whose parts can’t be read or are too many', async () => {
    const on = studio()
    const [none, parts, many] = [exported('None'), exported('Parts'), exported('Many')]
    Object.assign(none.mapping, { a: 7 })
    const node = (content: unknown) => ({
      parent: 'a',
      children: [],
      message: { author: { role: 'user' }, content: { content_type: 'text', parts: content } },
    })
    Object.assign(parts.mapping, { b: node([7, {}]) })
    Object.assign(many.mapping, {
      b: node(Array.from({ length: 300_000 }, () => ({}))),
      c: node(Array(1001).fill('x')),
    })
    const { leftOut } = await on.import(json([none, parts, many]))
    expect(titlesOf(on)).toEqual(['Many', 'Parts'])
    expect(leftOut).toEqual([
      { title: 'None', reason: 'None of its messages matches the format of ChatGPT.' },
      {
        title: 'Parts',
        reason: 'Messages left out because they do not match the format of ChatGPT: 1. The others were imported.',
      },
      {
        title: 'Many',
        reason: 'Messages left out because they do not match the format of ChatGPT: 1. The others were imported.',
      },
      { title: 'Many', reason: 'Messages with more than 1,000 parts: 2. The rest of them was left out.' },
    ])
  })

  it('imports a conversation once that is in it twice, and a node without a message', async () => {
    const on = studio()
    const one = exported('Once')
    Object.assign(one.mapping, { root: { children: ['a'] } })
    const files = { 'conversations-000.json': strToU8(json([one])), 'conversations-001.json': strToU8(json([one])) }
    expect(await on.import(zipSync(files))).toMatchObject({ conversations: 1, known: 1, leftOut: [] })
    expect(titlesOf(on)).toEqual(['Once'])
  })

  it('names a conversation by its own title, not by a name further inside, else by its place', async () => {
    const on = studio()
    const inside = { a: { message: { author: { name: 'dalle' } } } }
    const { leftOut } = await on.import(
      json([exported('Good'), { nodes: inside, mapping: 7 }, { nodes: inside, mapping: 7, title: 'Own' }]),
      'chats.json',
    )
    expect(leftOut.map(({ title }) => title).sort()).toEqual(['Chat 2 in chats.json', 'Own'])
  })

  it('brings the rest of any conversations, however some are broken, and names each broken one once', async () => {
    const kinds = Object.keys(breaks)
    const one = fc.option(fc.constantFrom(...kinds), { nil: null })
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 12 }), fc.boolean(), async (broken, isZip) => {
        // A file in which nothing is readable is not recognized as an export.
        const all = [null, ...broken].map((how, at) => ({ how, one: exported(`Chat ${at}`) }))
        const text = `[${all.map(({ how, one: good }) => (how === null ? json(good) : breaks[how]?.(good))).join(',')}]`
        const on = studio()
        const report = await on.import(isZip ? zipSync({ 'conversations.json': strToU8(text) }) : text)
        const titles = (isBroken: boolean): string[] =>
          all
            .filter(({ how }) => (how !== null) === isBroken)
            .map((each) => each.one.title)
            .sort()
        expect(titlesOf(on)).toEqual(titles(false))
        expect(report.leftOut.map(({ title }) => title).sort()).toEqual(titles(true))
        for (const { reason } of report.leftOut) expect(reason).toMatch(/^[A-Z].*\.$/)
        expect(on.store.erasures.planned('import')).toEqual([])
        await close(on)
      }),
      { numRuns: tries(15, 300) },
    )
  })
})

/** An archive with changed entries and a manifest that fits them, except those in `damaged`. */
function changed(
  archive: Buffer,
  change: (name: string, text: string) => string | null,
  isSigned: (name: string) => boolean,
) {
  const entries = new Map(Object.entries(unzipSync(archive)))
  const manifest = JSON.parse(Buffer.from(entries.get('manifest.json') ?? []).toString())
  for (const [name, bytes] of [...entries]) {
    if (name === 'manifest.json') continue
    const text = change(name, Buffer.from(bytes).toString())
    if (text === null) entries.delete(name)
    else entries.set(name, strToU8(text))
  }
  for (const entry of manifest.entries) {
    const bytes = entries.get(entry.name)
    if (bytes && isSigned(entry.name)) Object.assign(entry, { bytes: bytes.length, sha256: sha256(bytes) })
  }
  entries.set('manifest.json', strToU8(json(manifest)))
  return Buffer.from(zipSync(Object.fromEntries(entries)))
}

const archiveBreaks: Record<string, { change: (text: string) => string | null; isSigned: boolean }> = {
  'another version of a field': { change: (text) => text.replace('"role":"user"', '"role":7'), isSigned: true },
  'a message before its parent': {
    change: (text) => text.replace('"parentId":null', `"parentId":"${randomUUID()}"`),
    isSigned: true,
  },
  'cut off': { change: (text) => text.slice(0, -40), isSigned: true },
  'a wrong hash': { change: (text) => text.replace('Hello', 'Hallo'), isSigned: false },
  'another length': { change: (text) => `${text} `, isSigned: false },
  missing: { change: () => null, isSigned: false },
  'nested too deeply': {
    change: (text) => text.replace('"setup":{', `"setup":{"x":${'['.repeat(3000)}${']'.repeat(3000)},`),
    isSigned: true,
  },
}

describe('an archive', () => {
  it('brings the rest of any conversations, however some are broken, and names each broken one once', async () => {
    const from = studio()
    const ids = Array.from({ length: 6 }, (_, at) =>
      put(from.store, [message({ text: `Hello ${at}` })], { title: `Chat ${at}` }),
    )
    const archive = await from.exported()
    const kinds = Object.keys(archiveBreaks)
    const one = fc.option(fc.constantFrom(...kinds), { nil: null })
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 6, maxLength: 6 }), async (broken) => {
        const howOf = (name: string): (typeof archiveBreaks)[string] | null => {
          const how = broken[ids.findIndex((id) => name === `conversations/${id}.json`)]
          return (how && archiveBreaks[how]) || null
        }
        const file = changed(
          archive,
          (name, text) => howOf(name)?.change(text) ?? (howOf(name) ? null : text),
          (name) => howOf(name)?.isSigned ?? true,
        )
        const on = studio()
        const report = await on.import(file)
        expect(titlesOf(on)).toEqual(ids.flatMap((_, at) => (broken[at] ? [] : [`Chat ${at}`])))
        expect(report.leftOut).toHaveLength(broken.filter((how) => how !== null).length)
        for (const [at, how] of broken.entries()) {
          const name = `conversations/${ids[at]}.json`
          const names = report.leftOut.filter(({ title }) => title === `Chat ${at}` || title === name)
          expect(names).toHaveLength(how === null ? 0 : 1)
        }
        expect(on.store.erasures.planned('import')).toEqual([])
        await close(on)
      }),
      { numRuns: tries(15, 200) },
    )
  })

  it('brings the projects, prompts and presets that are good, and names the others', async () => {
    const from = studio()
    addFolder(from.store, 'Taxes')
    addFolder(from.store, 'Garden')
    for (const name of ['Short', 'Long'])
      from.store.prompts.insert({
        id: randomUUID(),
        name,
        text: `Say it ${name}`,
        updatedAt: '2026-01-01T00:00:00.000Z',
      })
    put(from.store, [message()])
    const file = changed(
      await from.exported(),
      (name, text) => {
        if (name !== 'library.json') return text
        const library = JSON.parse(text)
        Object.assign(
          library.folders.find((one: { name: string }) => one.name === 'Taxes'),
          { createdAt: 7 },
        )
        Object.assign(
          library.prompts.find((one: { name: string }) => one.name === 'Long'),
          { text: null },
        )
        library.presets = [7]
        return json(library)
      },
      () => true,
    )
    const on = studio()
    const report = await on.import(file)
    expect(report.conversations).toBe(1)
    expect(on.store.folders.rows().map(({ name }) => name)).toEqual(['Garden'])
    expect(on.store.prompts.list().map(({ name }) => name)).toEqual(['Short'])
    expect(report.leftOut.map(({ title }) => title).sort()).toEqual(['Long', 'Preset 1', 'Taxes'])
  })

  it('without its library, or with an image that is damaged, still brings its conversations', async () => {
    const from = studio()
    const picture = await from.picture(3, 4)
    put(from.store, [message({ text: 'Look', attachments: [{ ...picture, detail: 'auto', name: 'cat.png' }] })])
    const archive = await from.exported()
    const broken = (isBroken: (name: string) => boolean) =>
      changed(
        archive,
        (name, text) => (isBroken(name) ? `${text.slice(0, 20)}x` : text),
        () => false,
      )
    for (const [isBroken, title] of [
      [(name: string) => name === 'library.json', 'library.json'],
      [(name: string) => name.startsWith('media/'), 'cat.png'],
    ] as const) {
      const on = studio()
      const report = await on.import(broken(isBroken))
      expect(report.conversations).toBe(1)
      expect(report.leftOut.map((one) => one.title)).toContain(title)
    }
  })

  it('leaves nothing behind of a conversation that fails after it was begun', async () => {
    const from = studio()
    put(from.store, [message({ text: 'Good' })], { title: 'Good' })
    const on = studio()
    const before = everything(on.store)
    const file = changed(
      await from.exported(),
      (_, text) => text.replace('"Good"', '7'),
      () => true,
    )
    const report = await on.import(file)
    expect(report).toMatchObject({ conversations: 0, conversationId: null })
    expect(everything(on.store)).toEqual(before)
  })
})

describe('a file of another computer', () => {
  it('brings the chats that are good, names the others, and is read again', async () => {
    const folder = freshFolder()
    const [home, work] = [studio(), studio()]
    const ids = Array.from({ length: 4 }, (_, at) => put(home.store, [message()], { title: `Chat ${at}` }))
    const { file } = await home.archive.sync({ folder })
    const whole = readFileSync(file)
    const [first, second] = [`conversations/${ids[0]}.json`, `conversations/${ids[1]}.json`]
    const broken = changed(
      whole,
      (name, text) => (name === first ? text.replace('"role":"user"', '"role":7') : name === second ? null : text),
      () => true,
    )
    writeFileSync(file, broken)
    for (let run = 0; run < 2; run += 1) {
      const { files, notes } = await work.archive.sync({ folder })
      expect(files).toMatchObject([{ outcome: 'merged', added: run === 0 ? 2 : 0 }])
      expect(notes).toEqual([
        expect.stringMatching(/^“(?:Chat 0|conversations.*)” was not merged: .*\.$/u),
        expect.stringMatching(/^“(?:Chat 0|conversations.*)” was not merged: .*\.$/u),
      ])
    }
    expect(work.store.erasures.planned('import')).toEqual([])
    writeFileSync(file, whole)
    await work.archive.sync({ folder })
    expect(titlesOf(work)).toEqual(['Chat 0', 'Chat 1', 'Chat 2', 'Chat 3'])
  })

  it('whose image is damaged brings the message with its image when the file is whole, never without', async () => {
    const folder = freshFolder()
    const [home, work] = [studio(), studio()]
    const picture = await home.picture(3, 4)
    put(home.store, [message({ text: 'Look', attachments: [{ ...picture, detail: 'auto', name: 'cat.png' }] })])
    const good = put(home.store, [message({ text: 'Good' })])
    const { file } = await home.archive.sync({ folder })
    const whole = readFileSync(file)
    writeFileSync(
      file,
      changed(
        whole,
        (name, text) => (name.startsWith('media/') ? `${text.slice(0, 9)}x` : text),
        () => false,
      ),
    )
    await work.archive.sync({ folder })
    expect(work.store.archive.ids()).toEqual([good])
    writeFileSync(file, whole)
    await work.archive.sync({ folder })
    const shown = work.store.conversations
      .list()
      .flatMap(({ leafId }) => work.store.messages.path(leafId))
      .find(({ text }) => text === 'Look')
    expect(await work.media.bytes(shown?.attachments[0]?.mediaId ?? '')).toEqual(
      await home.media.bytes(picture.mediaId),
    )
  })
})
