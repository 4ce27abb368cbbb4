import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname } from 'node:path'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip, createZstdCompress } from 'node:zlib'
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

/** Destination of a backup: a file, which is compressed when its name ends with `.zst` or `.gz`, or a stream. */
export type Target = { path: string } | { sink: TarSink }

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
    return await intoFile(target.path, sizeOf(snapshot), (sink) => pack(parts, snapshot, sink))
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

/** How a file is compressed, by the end of its name. Level 3 of zstd: as fast as a disk, and smaller than gzip. */
const compressors: readonly (readonly [end: string, make: () => Transform])[] = [
  ['.zst', () => createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })],
  ['.gz', () => createGzip()],
]

async function intoFile<T>(path: string, bytes: number, write: (sink: TarSink) => Promise<T>): Promise<T> {
  // A unique name, so that two backups to the same path do not write into the same file.
  const part = `${path}.${randomUUID().slice(0, 8)}.part`
  const file = await open(part, 'wx', 0o600).catch((thrown: unknown) => {
    throw cantWriteBackup(thrown, path)
  })
  try {
    checkFreeSpace(dirname(path), bytes)
    const compressor = compressors.find(([end]) => path.endsWith(end))?.[1]()
    const result = await (compressor ? compressed(compressor, file, write) : write((chunk) => file.writeFile(chunk)))
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
  compressor: Transform,
  file: FileHandle,
  write: (sink: TarSink) => Promise<T>,
): Promise<T> {
  let fail: ((error: unknown) => void) | null = null
  let failure: { error: unknown } | null = null
  const written = pipeline(compressor, async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) await file.writeFile(chunk)
  })
  const settled = written.catch((error: unknown) => {
    failure = { error }
    fail?.(error)
  })
  try {
    // The callback comes when the chunk was compressed, so its buffer may be used again.
    const result = await write(
      (chunk) =>
        new Promise<void>((resolve, reject) => {
          fail = reject
          if (failure) reject(failure.error)
          else compressor.write(chunk, (error) => (error ? reject(error) : resolve()))
        }),
    )
    compressor.end()
    await written
    return result
  } finally {
    compressor.destroy()
    await settled
  }
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
