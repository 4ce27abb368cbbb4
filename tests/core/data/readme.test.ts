import {
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { type Core, createCore } from '../../../src-main/core/core.ts'
import { databases } from '../../../src-main/core/data/databases.ts'
import { folderReadme, readmeName } from '../../../src-main/core/data/readme.ts'
import { claimFolder } from '../../../src-main/core/store/dataFolder.ts'
import { freshFolder, testHost } from '../helpers/core.ts'

const open: Core[] = []
afterEach(async () => {
  for (const core of open.splice(0)) await core.stop()
})

async function startedFolder(): Promise<string> {
  const dataDir = freshFolder()
  open.push(await createCore(testHost(dataDir).host, { proxyPort: null }))
  return dataDir
}

/** Tables and their columns, without SQLite's own and those of the search index. */
function schemaOf(file: string): Record<string, string[]> {
  const handle = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = handle
      .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')")
      .all()
      .map(({ name }) => String(name))
    const own = tables.filter((name) => !name.startsWith('sqlite_'))
    return Object.fromEntries(
      own.map((table) => [
        table,
        handle
          .prepare('SELECT name FROM pragma_table_info(?)')
          .all(table)
          .map(({ name }) => String(name)),
      ]),
    )
  } finally {
    handle.close()
  }
}

describe('the README in the data folder', () => {
  it('has the tables of each database of this version, as statements that create them again', async () => {
    const dataDir = await startedFolder()
    const words = readFileSync(join(dataDir, readmeName), 'utf8')
    expect(words).toBe(folderReadme())
    expect(statSync(join(dataDir, readmeName)).mode & 0o777).toBe(0o600)
    for (const { file } of databases) {
      const [, section = ''] = words.split(`\n${file}\n===`)
      const [own = ''] = section.split('\n\n\n')
      const copy = join(freshFolder(), file)
      const handle = new DatabaseSync(copy)
      for (const [table] of own.matchAll(/^CREATE [\s\S]*?;$/gm)) handle.exec(table)
      handle.close()
      expect(schemaOf(copy), file).toEqual(schemaOf(join(dataDir, file)))
    }
  })

  it('has queries that run', async () => {
    const dataDir = await startedFolder()
    const queries = [...folderReadme().matchAll(/SELECT[^;]*;/g)].map(([query]) => query)
    expect(queries).toHaveLength(2)
    for (const [at, file] of ['ledger.sqlite', 'account.sqlite'].entries()) {
      const handle = new DatabaseSync(join(dataDir, file), { readOnly: true })
      expect(handle.prepare(queries[at] ?? '').all()).toEqual([])
      handle.close()
    }
  })

  const started = async (dataDir: string) => {
    claimFolder(dataDir)
    const { host, lines } = testHost(dataDir)
    open.push(await createCore(host, { proxyPort: null }))
    return lines
  }

  it('replaces that of another version', async () => {
    const dataDir = claimFolder(freshFolder())
    writeFileSync(join(dataDir, readmeName), 'The data of Inference Studio\n====\nof another version')
    await started(dataDir)
    expect(readFileSync(join(dataDir, readmeName), 'utf8')).toBe(folderReadme())
    expect(readdirSync(dataDir).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('leaves a file, a folder or a link of another program unchanged', async () => {
    const target = join(freshFolder(), 'target')
    writeFileSync(target, folderReadme().slice(0, 100))
    const files: Record<string, (path: string) => void> = {
      file: (path) => writeFileSync(path, 'Notes about the data'),
      empty: (path) => writeFileSync(path, ''),
      folder: (path) => mkdirSync(path),
      link: (path) => symlinkSync(target, path),
      dangling: (path) => symlinkSync(join(target, 'nowhere'), path),
    }
    for (const [what, make] of Object.entries(files)) {
      const dataDir = claimFolder(freshFolder())
      const path = join(dataDir, readmeName)
      make(path)
      const look = () => [
        // Not its permissions: everything in the folder becomes private.
        lstatSync(path).mode & constants.S_IFMT,
        lstatSync(path).mtimeMs,
        what.endsWith('file') && readFileSync(path, 'utf8'),
      ]
      const before = look()
      expect((await started(dataDir)).join(), what).not.toContain('README')
      expect(look(), what).toEqual(before)
    }
    expect(readFileSync(target, 'utf8')).toBe(folderReadme().slice(0, 100))
  })
})
