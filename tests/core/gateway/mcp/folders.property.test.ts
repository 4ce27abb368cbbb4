import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openInput, readInput, writeOutput } from '../../../../src-main/core/gateway/mcp/folders.ts'
import { tries } from '../../../helpers/effort.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'

const most = 1024 * 1024

/** A folder that may be read, with a secret beside it and links that lead there. */
function world() {
  const root = realpathSync(temporaryFolder('studio-folders-'))
  const folder = join(root, 'allowed')
  mkdirSync(join(folder, 'inner', 'deep'), { recursive: true })
  mkdirSync(join(root, 'secrets'))
  writeFileSync(join(root, 'secrets', 'key'), 'SECRET')
  for (const at of ['', 'inner', join('inner', 'deep')]) {
    writeFileSync(join(folder, at, 'file'), `public ${at}`)
    symlinkSync(join(root, 'secrets', 'key'), join(folder, at, 'link'))
    symlinkSync(join(root, 'secrets'), join(folder, at, 'way'))
    symlinkSync('..', join(folder, at, 'up'))
  }
  return { root, folder }
}

it('no path of segments, links and dots reads a file outside the folder, and every plain one inside is read', async () => {
  const { root, folder } = world()
  const segment = fc.constantFrom(
    'inner',
    'deep',
    'file',
    'link',
    'way',
    'up',
    'key',
    '..',
    '.',
    '',
    'allowed',
    'secrets',
    '%2e%2e',
    '\\..',
    'FILE',
    '\0',
    '~',
  )
  const start = fc.constantFrom(
    folder,
    `${folder}/`,
    root,
    `${folder}-not`,
    `${folder}/../allowed`,
    '',
    '/',
    '.',
    `/proc/self/root${folder}`,
  )
  await fc.assert(
    fc.asyncProperty(start, fc.array(segment, { maxLength: 6 }), async (from, segments) => {
      const path = [from, ...segments].join('/')
      const isPlain =
        from === folder &&
        segments.at(-1) === 'file' &&
        segments.slice(0, -1).every((one, at) => one === ['inner', 'deep'][at])
      const read = await readInput([folder], path, most).then(
        ({ bytes }) => bytes.toString(),
        (thrown: { kind: string }) => thrown,
      )
      if (isPlain) expect(read, path).toMatch(/^public/)
      else expect(read, path).toMatchObject({ kind: 'bad_input' })
    }),
    { numRuns: tries(400, 20_000) },
  )
})

it('a folder of the path that is exchanged for a link while it is read never leads outside', async () => {
  const { root, folder } = world()
  const inner = join(folder, 'inner')
  writeFileSync(join(root, 'secrets', 'file'), 'SECRET')
  let isOver = false
  const exchange = (async () => {
    while (!isOver) {
      renameSync(inner, join(folder, 'kept'))
      symlinkSync(join(root, 'secrets'), inner)
      await new Promise(setImmediate)
      rmSync(inner)
      renameSync(join(folder, 'kept'), inner)
      await new Promise(setImmediate)
    }
  })()
  const seen = new Set<string>()
  for (let at = 0; at < 300; at += 1) {
    const read = await readInput([folder], join(inner, 'file'), most).catch(() => null)
    seen.add(read === null ? 'refused' : read.bytes.toString())
  }
  isOver = true
  await exchange
  expect([...seen].every((one) => one === 'refused' || one.startsWith('public'))).toBe(true)
})

it('folders, pipes and files over the limit are refused at once, with the reason', async () => {
  const { folder } = world()
  const { execFileSync } = await import('node:child_process')
  const pipe = join(folder, 'pipe')
  if (process.platform !== 'win32') {
    execFileSync('mkfifo', [pipe])
    await expect(openInput([folder], pipe, most)).rejects.toThrow('is not a file')
  }
  await expect(openInput([folder], join(folder, 'inner'), most)).rejects.toThrow(/is not a file|can’t be read/)
  await expect(openInput([folder], join(folder, 'file'), 3)).rejects.toThrow('is larger than')
  await expect(openInput([], join(folder, 'file'), most)).rejects.toThrow('may read no folder')
  await expect(openInput([join(folder, 'gone')], join(folder, 'gone', 'file'), most)).rejects.toThrow('does not exist')
})

it('results never replace a file or follow a link in the output folder, whatever they are called', async () => {
  const { root, folder } = world()
  const from = join(root, 'secrets', 'made')
  writeFileSync(from, 'made')
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.constantFrom('file', 'link', '../secrets/key', '/etc/passwd', 'CON', '.', '..', 'a/b', '\u202egnp.exe'),
      ),
      async (words) => {
        const path = await writeOutput(folder, from, `${words}.png`)
        expect(join(folder, path.slice(folder.length + 1))).toBe(path)
        expect(path.slice(folder.length + 1)).not.toContain('/')
        expect(readFileSync(path, 'utf8')).toBe('made')
      },
    ),
    { numRuns: tries(100, 3000) },
  )
  symlinkSync(join(root, 'secrets', 'new'), join(folder, 'trap.png'))
  linkSync(join(root, 'secrets', 'key'), join(folder, 'hard.png'))
  expect(await writeOutput(folder, from, 'trap.png')).toBe(join(folder, 'trap 2.png'))
  expect(await writeOutput(folder, from, 'hard.png')).toBe(join(folder, 'hard 2.png'))
  expect(readFileSync(join(root, 'secrets', 'key'), 'utf8')).toBe('SECRET')
  expect(readdirSync(join(root, 'secrets')).sort()).toEqual(['key', 'made'])
})
