import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname } from 'node:path'
import { createGzip, createZstdCompress } from 'node:zlib'
import type { BackupSummary, DataWork } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../errors.ts'
import { diskProblem } from '../../shared/diskProblem.ts'
import { databases } from '../databases.ts'
import { asDiskError, bytesOnDisk, checkFreeSpace, toDisk } from '../disk.ts'
import { type About, aboutName, type BackupManifest, formatVersion, manifestName } from './manifest.ts'
import { mustHaveData, type Snapshot, takeSnapshot } from './snapshot.ts'
import { type TarSink, type TarWrittenEntry, tarWriter } from './tar/write.ts'
import { openWorkplace, type Workplace } from './workplace.ts'

export interface BackupParts {
  dataDir: string
  /** Version of this program. */
  version: string
  progress?(work: DataWork): void
  signal?: AbortSignal
}

const compressors = { gzip: createGzip, zstd: createZstdCompress }
export type Compression = keyof typeof compressors

/** Destination of a backup: a file, which may be compressed, or a stream. */
export type Target = { path: string; compression?: Compression | null } | { sink: TarSink }

/**
 * Writes all data of a data folder as one tar: `about.json`, databases, media, and `manifest.json` with the SHA-256 of each entry. The file
 * gets its name when it is complete and on the disk; until then it is named `NAME.XXXXXXXX.part`. It contains no API key, because none is
 * in the folder. Changes nothing in the data folder: copies are made beside the file, or in the system's folder for temporary files.
 * @throws StudioError as `takeSnapshot`; `cancelled`; `disk_full`, `not_writable`, `bad_input` when the file cannot be written
 */
export async function writeBackup(parts: BackupParts, target: Target): Promise<BackupSummary> {
  const { dataDir } = parts
  const total = databases.reduce((sum, { pathIn }) => sum + bytesOnDisk(pathIn(dataDir)), 0)
  const place = 'path' in target ? dirname(target.path) : tmpdir()
  let workplace: Workplace | null = null
  try {
    mustHaveData(dataDir)
    workplace = openPlace(place)
    checkFreeSpace(place, total)
    let done = 0
    const notify = (bytes: number): void => {
      parts.signal?.throwIfAborted()
      done += bytes
      parts.progress?.({ stage: 'databases', done: Math.min(done, total), total })
    }
    notify(0)
    const snapshot = takeSnapshot({ dataDir, folder: workplace.folder, copied: notify })
    parts.signal?.throwIfAborted()
    if ('sink' in target) return await pack(parts, snapshot, target.sink)
    return await intoFile(target.path, sizeOf(snapshot), (sink) =>
      compressed(target.compression ?? null, sink, (to) => pack(parts, snapshot, to)),
    )
  } catch (thrown) {
    throw asDiskError(thrown, 'The backup')
  } finally {
    workplace?.close()
  }
}

/** Opens the folder for copies. @throws StudioError `disk_full`, `not_writable`; `bad_input` when the folder does not exist */
function openPlace(place: string): Workplace {
  try {
    return openWorkplace(place)
  } catch (thrown) {
    throw cantWriteBackup(thrown, place)
  }
}

function cantWriteBackup(thrown: unknown, path: string): StudioError {
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  const known = diskProblem(thrown, path)
  return new StudioError(
    known?.kind ?? 'bad_input',
    `The backup can't be written: ${known?.message ?? why}`,
    {},
    { cause: thrown },
  )
}

async function intoFile<T>(path: string, bytes: number, write: (sink: TarSink) => Promise<T>): Promise<T> {
  // A unique name, so that two backups to the same path do not write into the same file.
  const part = `${path}.${randomUUID().slice(0, 8)}.part`
  const file = await open(part, 'wx', 0o600).catch((thrown: unknown) => {
    throw cantWriteBackup(thrown, path)
  })
  try {
    checkFreeSpace(dirname(path), bytes)
    const result = await write((chunk) => writeAll(file, chunk))
    await file.sync()
    await file.close()
    await rename(part, path)
    toDisk(dirname(path))
    return result
  } catch (thrown) {
    await file.close().catch(() => undefined)
    rmSync(part, { force: true })
    throw thrown
  }
}

/** Writes through a compressor. */
async function compressed<T>(
  compression: Compression | null,
  to: TarSink,
  write: (sink: TarSink) => Promise<T>,
): Promise<T> {
  if (compression === null) return write(to)
  const stream = compressors[compression]()
  const drained = (async () => {
    for await (const bytes of stream) await to(bytes)
  })()
  // A failure ends the next write, or the end below.
  drained.catch(() => undefined)
  stream.on('error', () => undefined)
  try {
    const result = await write(async (bytes) => {
      // Copies the bytes: their buffer is reused once the sink resolves.
      if (!stream.write(Buffer.from(bytes))) await Promise.race([once(stream, 'drain'), drained])
    })
    stream.end()
    await drained
    return result
  } finally {
    stream.destroy()
  }
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten
}

async function pack(
  parts: BackupParts,
  { files, schemas, counts, missing }: Snapshot,
  to: TarSink,
): Promise<BackupSummary> {
  const { version } = parts
  const at = new Date()
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  const sink: TarSink = async (bytes) => {
    parts.signal?.throwIfAborted()
    await to(bytes)
    done += bytes.length
    parts.progress?.({ stage: 'packing', done: Math.min(done, total), total })
  }
  const tar = tarWriter(sink, at.getTime())
  const aboutEntry: About = {
    format: 'inference-studio-backup',
    formatVersion,
    version,
    madeAt: at.toISOString(),
    schemas,
  }
  await addJson(tar, aboutName, aboutEntry)
  const entries: TarWrittenEntry[] = []
  const lost: string[] = []
  for (const { name, path, bytes } of files) {
    const content = await contentOf(path, bytes)
    if (content) entries.push(await tar.add(name, bytes, content))
    else lost.push(basename(name))
  }
  const manifest: BackupManifest = { ...aboutEntry, entries, counts, missing: [...missing, ...lost] }
  await addJson(tar, manifestName, manifest)
  await tar.finish()
  return { version, madeAt: aboutEntry.madeAt, counts, bytes: total }
}

/** Null when the file is gone: a media file without a hard link that was deleted during the backup. */
async function contentOf(path: string, bytes: number): Promise<AsyncIterable<Uint8Array> | Uint8Array[] | null> {
  const file = await open(path, 'r').catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null
    throw thrown
  })
  if (file === null) return null
  if (bytes > 0) return file.createReadStream({ end: bytes - 1, highWaterMark: 1024 * 1024 })
  await file.close()
  return []
}

function addJson(tar: ReturnType<typeof tarWriter>, name: string, value: unknown): Promise<TarWrittenEntry> {
  const bytes = Buffer.from(`${JSON.stringify(value, null, 1)}\n`)
  return tar.add(name, bytes.length, [bytes])
}

/** Estimated size of the tar in bytes, with headers and padding. The size of the manifest is guessed. */
const sizeOf = ({ files }: Snapshot): number => files.reduce((sum, { bytes }) => sum + bytes + 1300, 10_000)
