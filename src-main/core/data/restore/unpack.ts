import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DataWork } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../errors.ts'
import { parseJson } from '../../store/rows.ts'
import {
  type About,
  about,
  aboutName,
  type BackupManifest,
  entryName,
  formatVersion,
  manifest,
  manifestName,
} from '../backup/manifest.ts'
import { notOurs } from '../backup/tar/layout.ts'
import { readTar, type TarEntry } from '../backup/tar/read.ts'
import { databases } from '../databases.ts'
import { checkFreeSpace, toDisk } from '../disk.ts'

export interface UnpackParts {
  /** Path of the backup. */
  path: string
  /** Folder for its files. Created here, and deleted again when the backup is not good. */
  to: string
  /** Whether to write an entry. Absent: all. The others are only compared with their checksums. */
  wants?(name: string): boolean
  progress?(work: DataWork): void
  signal?: AbortSignal
}

/** Largest sizes of the two documents, in bytes. A manifest of 200,000 entries has 30 MB. */
const mostAbout = 64 * 1024
const mostManifest = 64 * 1024 * 1024
const mostEntries = 400_000

/**
 * Unpacks a backup into a folder of its own and compares it with its manifest. Each entry must be listed, appear once and have its
 * checksum. No other entries are allowed. Each must fit on the disk before its bytes are read, because a small compressed file can expand to
 * any size. Does not touch the data folder.
 * @throws StudioError `bad_input`, `store_newer`, `cancelled`, `disk_full`
 */
export async function unpackBackup({ path, to, wants, progress, signal }: UnpackParts): Promise<BackupManifest> {
  const file = await open(path, 'r').catch((thrown: unknown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw new StudioError('bad_input', `The backup can't be read: ${why}`, {}, { cause: thrown })
  })
  try {
    const { size: total } = await file.stat()
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    if (!wants) checkFreeSpace(dirname(dirname(to)), total)
    rmSync(to, { recursive: true, force: true })
    for (const folder of [to, join(to, 'media'), join(to, 'making')]) mkdirSync(folder, { mode: 0o700 })
    let done = 0
    const entries = readTar(file, (bytes) => {
      signal?.throwIfAborted()
      done += bytes
      progress?.({ stage: 'checking', done, total })
    })
    const whole = await unpackAll(entries, to, wants)
    progress?.({ stage: 'staging', done: total, total })
    // The names. The bytes of each file have been flushed already.
    for (const folder of [join(to, 'media'), join(to, 'making'), to]) toDisk(folder)
    return whole
  } catch (thrown) {
    rmSync(to, { recursive: true, force: true })
    throw thrown
  } finally {
    await file.close()
  }
}

type UnpackedEntries = Map<string, { bytes: number; sha256: string }>

async function unpackAll(
  entries: AsyncIterable<TarEntry>,
  to: string,
  wants: UnpackParts['wants'],
): Promise<BackupManifest> {
  let aboutEntry: About | null = null
  let whole: BackupManifest | null = null
  const unpacked: UnpackedEntries = new Map()
  for await (const entry of entries) {
    if (whole) throw notOurs('It continues after its manifest.')
    if (!aboutEntry) aboutEntry = await readAbout(entry)
    else if (entry.name === manifestName) whole = await readManifest(entry)
    else {
      if (!entryName.test(entry.name) || unpacked.has(entry.name))
        throw notOurs('It contains a file that no backup has.')
      if (unpacked.size >= mostEntries) throw notOurs('It contains far more files than any backup has.')
      const path = wants?.(entry.name) === false ? null : join(to, entry.name)
      unpacked.set(entry.name, { bytes: entry.size, sha256: await unpackOne(entry, path) })
    }
  }
  if (!aboutEntry || !whole) throw notOurs('Its end is missing.')
  compare(aboutEntry, whole, unpacked)
  return whole
}

/** Compares the entries with the documents. @throws StudioError `bad_input` when they differ */
function compare(aboutEntry: About, whole: BackupManifest, unpacked: UnpackedEntries): void {
  const isSame = whole.entries.every(({ name, bytes, sha256 }) => {
    const one = unpacked.get(name)
    return one?.bytes === bytes && one.sha256 === sha256
  })
  if (!isSame || new Set(whole.entries.map(({ name }) => name)).size !== unpacked.size) {
    throw notOurs('Its files do not match its manifest: it was damaged or changed.')
  }
  const schemas = (all: About): string => JSON.stringify(databases.map(({ name }) => all.schemas[name] ?? null))
  if (schemas(aboutEntry) !== schemas(whole) || aboutEntry.madeAt !== whole.madeAt)
    throw notOurs('Its parts don’t match each other.')
  const isWhole = databases.every(({ name, file }) => unpacked.has(file) === (whole.schemas[name] !== undefined))
  if (!isWhole || !unpacked.has('studio.sqlite')) throw notOurs('A database is missing.')
}

/** Returns the SHA-256 of the content. @param path null: it is not written */
async function unpackOne(entry: TarEntry, path: string | null): Promise<string> {
  if (path !== null) checkFreeSpace(dirname(path), entry.size)
  const file = path === null ? null : await open(path, 'wx', 0o600)
  try {
    const hash = createHash('sha256')
    for await (const bytes of entry.bytes()) {
      hash.update(bytes)
      await file?.writeFile(bytes)
    }
    await file?.sync()
    return hash.digest('hex')
  } finally {
    await file?.close()
  }
}

async function readAbout(entry: TarEntry): Promise<About> {
  if (entry.name !== aboutName) throw notOurs('It does not start like a backup.')
  const document = await documentOf(entry, mostAbout)
  const { data } = about.safeParse(document)
  if (!data) throw notOurs('It does not start like a backup.')
  const newer = databases.find(({ name, kind }) => (data.schemas[name] ?? 0) > kind.migrations.length)
  if (data.formatVersion > formatVersion || newer) {
    const words = `This backup was written by a newer version of Inference Studio (${data.version}). Update this one first. Nothing was changed.`
    throw new StudioError('store_newer', words)
  }
  return data
}

async function readManifest(entry: TarEntry): Promise<BackupManifest> {
  const { data } = manifest.safeParse(await documentOf(entry, mostManifest))
  if (!data) throw notOurs('Its manifest is damaged.')
  return data
}

async function documentOf(entry: TarEntry, most: number): Promise<unknown> {
  if (entry.size > most) throw notOurs('A document in it is too large.')
  const chunks: Uint8Array[] = []
  for await (const bytes of entry.bytes()) chunks.push(bytes)
  return parseJson(Buffer.concat(chunks).toString('utf8'))
}
