import { randomUUID } from 'node:crypto'
import { createReadStream, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { BackupSummary, DataWork } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../errors.ts'
import { databases } from '../databases.ts'
import { asDiskError, bytesOf, checkRoom, toDisk } from '../disk.ts'
import { type Sink, tarWriter, type WrittenEntry } from '../tar/write.ts'
import { type About, aboutName, formatVersion, type Manifest, manifestName } from './manifest.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'
import { openWorkplace, type Workplace } from './workplace.ts'

export interface BackupParts {
  dataDir: string
  /** Version of this program. */
  version: string
  progress?(work: DataWork): void
  signal?: AbortSignal
}

/** Where a backup goes: a file, or somebody who reads along. */
export type Target = { path: string } | { sink: Sink }

/**
 * Writes everything of a data folder as one tar: `about.json`, databases, media, `manifest.json` with the SHA-256 of each. A file has its name only
 * when it is whole and on the disk; until then it is called `NAME.XXXXXXXX.part`. Holds no key: none lies in the folder.
 * @throws StudioError as `takeSnapshot`; `cancelled`, `bad_input` where the file can't be written
 */
export async function writeBackup(parts: BackupParts, target: Target): Promise<BackupSummary> {
  const { dataDir } = parts
  const total = databases.reduce((sum, { pathIn }) => sum + bytesOf(pathIn(dataDir)), 0)
  checkRoom(dataDir, total)
  let workplace: Workplace | null = null
  try {
    workplace = openWorkplace(dataDir)
    let done = 0
    const tell = (bytes: number): void => {
      parts.signal?.throwIfAborted()
      done += bytes
      parts.progress?.({ stage: 'databases', done: Math.min(done, total), total })
    }
    tell(0)
    const snapshot = takeSnapshot({ dataDir, folder: workplace.folder, copied: tell })
    parts.signal?.throwIfAborted()
    if ('sink' in target) return await pack(parts, snapshot, target.sink)
    return await intoFile(target.path, sizeOf(snapshot), (sink) => pack(parts, snapshot, sink))
  } catch (thrown) {
    throw asDiskError(thrown)
  } finally {
    workplace?.close()
  }
}

async function intoFile<T>(path: string, bytes: number, write: (sink: Sink) => Promise<T>): Promise<T> {
  // A name of its own: two that write the same backup must not write into each other's.
  const part = `${path}.${randomUUID().slice(0, 8)}.part`
  const file = await open(part, 'wx', 0o600).catch((thrown: unknown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw new StudioError('bad_input', `The backup can't be written: ${why}`, {}, { cause: thrown })
  })
  try {
    checkRoom(dirname(path), bytes)
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

async function writeAll(file: Awaited<ReturnType<typeof open>>, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten
}

async function pack(
  parts: BackupParts,
  { files, schemas, counts, missing }: Snapshot,
  to: Sink,
): Promise<BackupSummary> {
  const { version } = parts
  const at = new Date()
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  const sink: Sink = async (bytes) => {
    parts.signal?.throwIfAborted()
    await to(bytes)
    done += bytes.length
    parts.progress?.({ stage: 'packing', done: Math.min(done, total), total })
  }
  const tar = tarWriter(sink, at.getTime())
  const said: About = { format: 'inference-studio-backup', formatVersion, version, madeAt: at.toISOString(), schemas }
  await addJson(tar, aboutName, said)
  const entries: WrittenEntry[] = []
  for (const { name, path, bytes } of files) {
    entries.push(
      await tar.add(
        name,
        bytes,
        bytes === 0 ? [] : createReadStream(path, { end: bytes - 1, highWaterMark: 1024 * 1024 }),
      ),
    )
  }
  const manifest: Manifest = { ...said, entries, counts, missing }
  await addJson(tar, manifestName, manifest)
  await tar.finish()
  return { version, madeAt: said.madeAt, counts, bytes: total }
}

function addJson(tar: ReturnType<typeof tarWriter>, name: string, value: unknown): Promise<WrittenEntry> {
  const bytes = Buffer.from(`${JSON.stringify(value, null, 1)}\n`)
  return tar.add(name, bytes.length, [bytes])
}

/** With headers and padding; the manifest is guessed. */
const sizeOf = ({ files }: Snapshot): number => files.reduce((sum, { bytes }) => sum + bytes + 1300, 10_000)
