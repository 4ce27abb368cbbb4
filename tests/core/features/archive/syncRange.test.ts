import { randomUUID } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { strFromU8, unzipSync } from 'fflate'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { libraryFile, manifest } from '../../../../src-main/core/features/archive/format.ts'
import { syncFile } from '../../../../src-main/core/features/archive/sync/format.ts'
import { archivedConversation, archivedMessage } from '../../../../src-main/core/store/archive.ts'
import { tries } from '../../../helpers/effort.ts'
import { freshFolder } from '../../helpers/core.ts'
import { rightClock } from '../../helpers/deadlines.ts'
import { forge } from './forge.ts'
import { addFolder, message, put } from './studio.ts'
import { studiosOfTest } from './studiosOfTest.ts'

const { studio, close } = studiosOfTest()

/** Times, numbers and texts at and beyond the edges of what a file may have. */
const odd = fc.constantFrom<unknown>(
  ...[253_402_300_799_000, 253_402_300_799_999, 253_402_300_798_999, 0, -1, 1.5, 2 ** 53, 1e300, Date.now() + 1e10],
  ...[
    '9999-12-31T23:59:59.999Z',
    '0000-01-01T00:00:00.000Z',
    '+010000-01-01T00:00:00.000Z',
    '2026-02-30T00:00:00.000Z',
  ],
  ...[
    '',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\ud800x',
    'x'.repeat(100),
    '😀'.repeat(50),
    'x'.repeat(1001),
    '__proto__',
    '../x',
  ],
  ...[null, true, [], {}, randomUUID().toUpperCase()],
)

/** Replaces the values at some places of a JSON text. `place` chooses among all leaves. */
function withOdd(text: string, changes: readonly { place: number; value: unknown }[]): string {
  const whole: unknown = JSON.parse(text)
  const leaves: { parent: Record<string, unknown>; key: string }[] = []
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const parent: Record<string, unknown> = Object(value)
    for (const key of Object.keys(parent)) {
      if (typeof parent[key] === 'object' && parent[key] !== null) walk(parent[key])
      else leaves.push({ parent, key })
    }
  }
  walk(whole)
  for (const { place, value } of changes) {
    const leaf = leaves[place % Math.max(1, leaves.length)]
    // The format and its version, and who wrote the file, stay: another one is refused as a whole.
    if (leaf && !['format', 'version', 'installation'].includes(leaf.key)) leaf.parent[leaf.key] = value
  }
  return JSON.stringify(whole)
}

/** The schema of `sync.json` in version 1, as the first program with pinned files read it: never change it. */
const at = z.number().int().min(0).max(253_402_300_799_000)
const mark = z.object({ at, value: z.string().max(100).nullable() })
const marks = z.record(z.uuid(), mark)
const formerSync = z.object({
  format: z.literal('inference-studio.sync'),
  version: z.literal(1),
  installation: z.uuid(),
  conversations: z.record(
    z.uuid(),
    z.object({
      named: z.boolean(),
      fields: z.partialRecord(
        z.enum(['title', 'model', 'setup', 'pinned', 'archived', 'folder', 'leaf', 'removed']),
        mark,
      ),
      messages: marks,
    }),
  ),
  removed: z.record(z.uuid(), at),
  folders: marks,
  prompts: marks,
  presets: marks,
  files: z.record(z.uuid(), z.record(z.string().regex(/^[\da-f]{64}$/), mark)),
})

/** Every entry of a file, through the schemas of its reader. */
function read(file: string): void {
  for (const [name, bytes] of Object.entries(unzipSync(readFileSync(file)))) {
    const value = name.endsWith('.json') ? JSON.parse(strFromU8(bytes)) : null
    if (name === 'manifest.json') manifest.parse(value)
    else if (name === 'library.json') libraryFile.parse(value)
    else if (name === 'sync.json') {
      syncFile.parse(value)
      formerSync.parse(value)
    } else if (name.startsWith('conversations/')) {
      archivedConversation.parse(value.conversation)
      z.array(archivedMessage).parse(value.messages)
    }
  }
}

const change = fc.record({ place: fc.nat(500), value: odd })
const step = fc.record({
  computer: fc.nat(1),
  action: fc.constantFrom('sync', 'rename', 'remove', 'restore', 'prompt', 'folder'),
  name: fc.constantFrom('New', 'x\u0000y', '\ud800', '😀'),
  changes: fc.array(fc.record({ entry: fc.constantFrom('sync.json', 'library.json', 'conversations/'), change }), {
    maxLength: 4,
  }),
})

/** Puts a copy of a file with odd values beside it, as a hostile or faulty computer would. */
function forgeCopy(
  file: string,
  copy: string,
  changes: readonly { entry: string; change: { place: number; value: unknown } }[],
): void {
  copyFileSync(file, copy)
  for (const { entry, change: odds } of changes)
    forge(copy, (each, text) => (each.startsWith(entry) ? withOdd(text, [odds]) : text))
}

/** What a person does. */
function act({ store }: ReturnType<typeof studio>, { action, name }: { action: string; name: string }): void {
  const [id] = store.archive.ids()
  const [folder] = store.folders.rows()
  const [prompt] = store.prompts.list()
  const [removed] = store.erasures.removed()
  const work: Record<string, (() => unknown) | undefined> = {
    rename: () => id && store.conversations.setName(id, name),
    remove: () => id && store.conversations.setRemoved(id, new Date().toISOString()),
    restore: () => removed && store.conversations.setRemoved(removed.id, null),
    prompt: () => prompt && store.prompts.save({ ...prompt, text: name }),
    folder: () => folder && store.folders.update(folder.id, { name: `F${name}` }),
  }
  work[action]?.()
}

/** Every computer reads the files of the others again, without those that were forged. */
async function expectAllRead(studios: readonly ReturnType<typeof studio>[], folder: string): Promise<void> {
  for (const name of readdirSync(folder)) if (name.includes('-odd ')) rmSync(join(folder, name))
  for (const one of studios) {
    const { files } = await one.archive.sync({ folder })
    expect(files.filter(({ outcome }) => outcome === 'refused')).toEqual([])
  }
}

it('whatever odd files two computers merge, each writes files that this and the previous version read', {
  timeout: tries(60_000, 900_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), fc.boolean(), async (steps, isTrusted) => {
      const folder = freshFolder()
      const deadlines = { ...rightClock(), isNotBehind: () => isTrusted }
      const studios = [studio(undefined, Date.now, deadlines), studio(undefined, Date.now, deadlines)]
      const [first] = studios
      if (!first) return
      const root = message({ text: 'Question' })
      put(first.store, [root, message({ text: 'Answer', parentId: root.id })])
      addFolder(first.store, 'Taxes')
      const now = new Date().toISOString()
      first.store.prompts.insert({ id: randomUUID(), name: 'Short', text: 'Say it short.', updatedAt: now })
      for (const one of studios) await one.archive.sync({ folder })
      for (const [at, { computer, changes, ...one }] of steps.entries()) {
        const on = studios[computer] ?? first
        act(on, one)
        const { file, files } = await on.archive.sync({ folder })
        read(file)
        for (const { problem } of files) expect(problem ?? '.').toMatch(/\.$/)
        forgeCopy(file, join(folder, `inference-studio-odd ${at}.zip`), changes)
      }
      for (const one of [...studios, ...studios]) read((await one.archive.sync({ folder })).file)
      await expectAllRead(studios, folder)
      for (const one of studios) await close(one)
    }),
    { numRuns: tries(2, 20), endOnFailure: false },
  )
})
