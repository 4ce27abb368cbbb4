import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { unzipSync } from 'fflate'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createCore } from '../../../src-main/core/core.ts'
import { storedData } from '../../../src-main/core/stored.ts'
import type { Parts } from '../../../src-main/hosts/node/dependencies.ts'
import { type UsedFolder, usedFolder } from '../../core/data/usedFolder.ts'
import { withDatabase } from '../../core/features/media/rows.ts'
import { testHost } from '../../core/helpers/core.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { runInProcess, unusedParts } from './fixtures/inProcess.ts'

let folder: UsedFolder
let out: string
beforeAll(async () => {
  folder = await usedFolder(temporaryFolder('studio-export-'), Date.parse('2026-11-21T12:00:00Z'))
  out = temporaryFolder('studio-out-')
})
afterAll(() => {
  rmSync(folder.dataDir, { recursive: true, force: true })
  rmSync(out, { recursive: true, force: true })
})
afterEach(() => vi.restoreAllMocks())

/** The command gets no core, no keychain and no network. */
const { openUsage, openExport, openErase } = storedData({ version: () => '1.0.0', log: () => undefined })
const parts: Parts = { ...unusedParts, openUsage, openExport, openErase }

/** Runs one command in this process with the real files. Returns its exit code and output. */
const ask = (...args: string[]) => command('export', ...args)
const command = (...args: string[]) => runInProcess([...args, '--data-dir', folder.dataDir], parts)

async function query(sql: string): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

describe('studio export', () => {
  it('the request log is exported as CSV, JSON lines and Parquet, equal to the last digit for an independent reader', async () => {
    const files = { csv: join(out, 'log.csv'), json: join(out, 'log.jsonl'), parquet: join(out, 'log.parquet') }
    for (const [format, file] of Object.entries(files)) {
      expect(await ask('--what', 'requests', '--format', format, '--output', file)).toMatchObject({ code: 0 })
    }
    const sums = (from: string) =>
      query(`SELECT count(*) AS n, sum(tokens_in) AS i, sum(tokens_out) AS o, sum(CAST(cost_sc AS DECIMAL(38, 18))) AS c,
        min(path) AS p, count(DISTINCT id) AS ids, max(CAST("at" AS TIMESTAMP)) AS last FROM ${from}`)
    const parquet = await sums(`read_parquet('${files.parquet}')`)
    expect(parquet).toMatchObject([{ n: '37', i: '37000', o: '6660', p: '/v1/day-0-ago', ids: '37' }])
    expect(await sums(`read_csv('${files.csv}', all_varchar = false)`)).toEqual(parquet)
    expect(await sums(`read_json('${files.json}', format = 'newline_delimited')`)).toEqual(parquet)
    // Only the owner can read the file, and no partial file is beside it.
    expect(statSync(files.csv).mode & 0o777).toBe(0o600)
    expect(readdirSync(out).filter((name) => name.includes('part'))).toEqual([])
  })

  it('the request log is exported by days (UTC) and account, also to standard output', async () => {
    const { code, stdout } = await ask(
      '--what',
      'requests',
      '--format',
      'json',
      '--since',
      '2026-10-02',
      '--until',
      '2026-10-22',
    )
    const rows = stdout
      .trim()
      .split('\n')
      .map((line): { at: string; account: string } => JSON.parse(line))
    expect(code).toBe(0)
    expect(rows.map(({ at }) => at.slice(0, 10))).toEqual(['2026-10-02', '2026-10-12', '2026-10-22'])
    expect(rows.every(({ account }) => account === 'book')).toBe(true)
    const nobody = await ask('--what', 'requests', '--account', 'nobody')
    expect(nobody.code).toBe(1)
    expect(nobody.stderr).toContain('No account has the id or name nobody')
  })

  it('chats are exported as an archive that can be imported, or as Markdown, also beside a running studio', async () => {
    const core = await createCore(testHost(folder.dataDir).host, { proxyPort: null })
    try {
      const zip = join(out, 'chats.zip')
      expect(await ask('--what', 'chats', '--output', zip)).toMatchObject({ code: 0 })
      const files = unzipSync(readFileSync(zip))
      const manifest: { counts: object; entries: { name: string; sha256: string }[] } = JSON.parse(
        Buffer.from(files['manifest.json'] ?? []).toString(),
      )
      expect(manifest.counts).toMatchObject({ conversations: 5, messages: 10 })
      for (const { name, sha256 } of manifest.entries) {
        expect(
          createHash('sha256')
            .update(files[name] ?? '')
            .digest('hex'),
        ).toBe(sha256)
      }
      const markdown = await ask('--what', 'chats', '--format', 'markdown', '--since', '2026-10-01')
      expect(markdown.stdout).toContain('# Talk of day-20-ago')
      expect(markdown.stdout).toContain('What was asked day-0-ago')
      expect(markdown.stdout).not.toContain('day-300-ago')
    } finally {
      await core.stop()
    }
  })

  it('all data is exported to a new folder, never to an existing one', async () => {
    const all = join(out, 'all')
    expect(await ask('--output', all)).toMatchObject({ code: 0 })
    expect(readdirSync(all).sort()).toEqual(['chats.zip', 'media', 'requests.csv', 'usage.csv'])
    expect(readdirSync(join(all, 'media'))).toHaveLength(5)
    expect(readFileSync(join(all, 'requests.csv'), 'utf8').split('\r\n')).toHaveLength(39)
    const again = await ask('--output', all)
    expect(again.code).toBe(1)
    expect(again.stderr).toContain('exists already')
    expect((await ask('--output', '-')).stderr).toContain('Name a folder')
  })

  it('media are exported under readable names with checksums, without files that have changed', async () => {
    const media = join(out, 'media')
    const day = (days: number) => folder.ago(days).slice(0, 10)
    const text = 'Il pleut.\nOui.'
    withDatabase(folder.dataDir, (database) => {
      const { id } = database.prepare('SELECT id FROM recordings').get() ?? {}
      const put = `INSERT INTO transcripts (id, recording_id, created_at, state, wish, text) VALUES (?, ?, ?, ?, '{}', ?)`
      database.prepare(put).run(randomUUID(), id ?? '', folder.ago(229), 'done', text)
    })
    const result = await ask('--what', 'media', '--output', media)
    expect(result).toMatchObject({ code: 0, stdout: '' })
    expect(result.stderr).toMatch(/Wrote 5 files to .*\.\n/)
    const list = readFileSync(join(media, 'media.jsonl'), 'utf8')
    const lines = list
      .trim()
      .split('\n')
      .map((line): { file: string; kind: string; bytes: number; sha256: string } => JSON.parse(line))
    expect(lines.map(({ kind }) => kind)).toEqual(['image', 'recording', 'transcript', 'image', 'image'])
    expect(readdirSync(media).sort()).toEqual([...lines.map(({ file }) => file), 'media.jsonl'].sort())
    expect(lines.map(({ file }) => file.slice(0, 10))).toEqual([240, 230, 229, 220, 3].map(day))
    for (const { file, bytes, sha256 } of lines) {
      const kept = readFileSync(join(media, file))
      expect([kept.length, createHash('sha256').update(kept).digest('hex')]).toEqual([bytes, sha256])
    }
    // Every media file that a row refers to is exported byte for byte.
    const sumsOf = (dir: string, names: string[]): string[] =>
      names
        .map((name) =>
          createHash('sha256')
            .update(readFileSync(join(dir, name)))
            .digest('hex'),
        )
        .sort()
    const mediaDir = join(folder.dataDir, 'media')
    const of = (kind: string) => lines.filter((line) => line.kind === kind).map(({ file }) => file)
    expect(sumsOf(media, [...of('image'), ...of('recording')])).toEqual(sumsOf(mediaDir, readdirSync(mediaDir)))
    expect(readFileSync(join(media, of('transcript')[0] ?? ''), 'utf8')).toBe(text)

    const late = join(out, 'late-media')
    expect(await ask('--what', 'media', '--since', day(10), '--output', late)).toMatchObject({ code: 0 })
    expect(readdirSync(late)).toHaveLength(2)
    const [changed = ''] = readdirSync(mediaDir)
    const before = readFileSync(join(mediaDir, changed))
    writeFileSync(join(mediaDir, changed), Buffer.from(before).fill(7, 0, 9))
    const less = join(out, 'less-media')
    expect((await ask('--what', 'media', '--output', less)).stderr).toMatch(
      /Wrote 4 files to .*\. Left out 1 file, missing or changed/,
    )
    writeFileSync(join(mediaDir, changed), before)
    expect(readdirSync(less)).toHaveLength(5)
    expect(readFileSync(join(less, 'media.jsonl'), 'utf8')).toContain('"file":null')
    expect((await ask('--what', 'media', '--output', less)).stderr).toContain('exists already')
    expect((await ask('--what', 'media', '--format', 'csv')).stderr).toContain('its files are copied')
    expect((await ask('--what', 'media', '--until', '2001-01-01', '--output', join(out, 'none'))).code).toBe(1)
    expect(readdirSync(out).filter((name) => name.includes('none') || name.includes('part'))).toEqual([])
  })

  it('days without data give empty tables, and a last day before the first is refused', async () => {
    const all = join(out, 'early')
    expect(await ask('--until', '2001-01-01', '--output', all)).toMatchObject({ code: 0 })
    expect(readFileSync(join(all, 'usage.csv'), 'utf8').trim().split('\r\n')).toHaveLength(1)
    const turned = ['--since', '2026-11-20', '--until', '2026-11-19']
    for (const what of ['requests', 'chats', 'usage', 'all']) {
      expect(await ask('--what', what, ...turned, '--output', join(out, 'turned'))).toMatchObject({
        code: 2,
        stdout: '',
      })
    }
    expect(existsSync(join(out, 'turned'))).toBe(false)
  })

  it('impossible exports are reported: a wrong format, an unwritable file, an unused folder', async () => {
    expect((await ask('--what', 'chats', '--format', 'csv')).stderr).toContain(
      'chats can be written as zip or markdown',
    )
    const nowhere = join(out, 'not-there', 'log.csv')
    expect((await ask('--what', 'requests', '--output', nowhere)).stderr).toContain('does not exist')
    expect(existsSync(nowhere)).toBe(false)
    const used = folder
    folder = { ...used, dataDir: mkdtempSync(join(out, 'empty-')) }
    try {
      expect((await ask('--what', 'chats', '--format', 'markdown')).stderr).toContain('no conversations')
      expect(await ask('--what', 'requests', '--format', 'json')).toMatchObject({ code: 0, stdout: '' })
    } finally {
      folder = used
    }
  })
})

describe('studio erase', () => {
  const words = ['erase', '--what', 'conversations,log,images', '--older-than', '105', '--json']

  it('erase counts, asks for confirmation and deletes; it refuses the folder of a running studio', {
    tags: 'long',
  }, async () => {
    const used = folder
    folder = await usedFolder(mkdtempSync(join(out, 'erase-')))
    try {
      const core = await createCore(testHost(folder.dataDir).host, { proxyPort: null })
      const busy = await command(...words, '--yes')
      await core.stop()
      expect(JSON.parse(busy.stdout)).toMatchObject({ problem: { kind: 'folder_in_use' } })
      const unasked = await command(...words)
      expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes') })
      expect((await command('erase', '--what', 'everything', '--older-than', '1')).code).toBe(2)
      const done = await command(...words, '--yes')
      expect(JSON.parse(done.stdout)).toMatchObject({
        stopped: false,
        erased: [
          { what: 'conversations', items: 2 },
          { what: 'log', items: 26 },
          { what: 'images', items: 1 },
        ],
      })
      const again = await command(...words, '--yes')
      expect(JSON.parse(again.stdout).erased).toEqual([
        { what: 'conversations', items: 0 },
        { what: 'log', items: 0 },
        { what: 'images', items: 0 },
      ])
      const left = await ask('--what', 'requests', '--format', 'json')
      expect(left.stdout.trim().split('\n')).toHaveLength(11)
      expect(done.stdout.includes('day-')).toBe(false)
    } finally {
      folder = used
    }
  })
})
