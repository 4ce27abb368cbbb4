import { once } from 'node:events'
import { statfsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { StudioError } from '../../errors.ts'
import { isSystemError } from '../../shared/diskProblem.ts'
import { notOurs } from '../backup/tar/layout.ts'

/** First bytes of gzip (RFC 1952) and of a zstd frame (RFC 8878). */
const magics = [
  { bytes: Buffer.from([0x1f, 0x8b]), decompressor: createGunzip },
  { bytes: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), decompressor: createZstdDecompress },
]

/** What a restore leaves free on the disk, so that a file that unpacks to far more than its size can't fill the disk, bytes. */
const reserve = 256 * 1024 * 1024
/** How often the free space is looked up, bytes. */
const lookEvery = 16 * 1024 * 1024

/**
 * Path of the plain tar of a backup: the backup itself, or its decompressed copy at `to`. A file that does not begin like a backup is refused
 * before its second block is written.
 * @throws StudioError `bad_input`, `disk_full`, `cancelled`
 */
export async function plainBackup(path: string, to: string, signal?: AbortSignal): Promise<string> {
  const source = await open(path, 'r').catch((thrown: unknown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw new StudioError('bad_input', `The backup can't be read: ${why}`, {}, { cause: thrown })
  })
  try {
    const { buffer, bytesRead } = await source.read(Buffer.alloc(4), 0, 4, 0)
    const found = magics.find(
      ({ bytes }) => bytesRead >= bytes.length && buffer.subarray(0, bytes.length).equals(bytes),
    )
    if (!found) return path
    const stream = found.decompressor()
    const input = source.createReadStream({ start: 0, autoClose: false })
    input.on('error', (thrown) => stream.destroy(thrown))
    input.pipe(stream)
    try {
      await writeTar(stream, to, signal)
    } finally {
      input.destroy()
      if (!input.closed) await once(input, 'close')
    }
    return to
  } finally {
    await source.close()
  }
}

/** Name of the first entry of every backup, as it stands at the start of its tar. */
const start = Buffer.from('about.json\0')

/**
 * Writes a tar from a stream to a new file.
 * @throws StudioError `bad_input` for a stream that is damaged or does not begin like a backup, `disk_full`, `cancelled`
 */
async function writeTar(stream: Readable, to: string, signal: AbortSignal | undefined): Promise<void> {
  const file = await open(to, 'wx', 0o600)
  try {
    let written = 0
    let looked = 0
    let head = Buffer.alloc(0)
    for await (const bytes of stream) {
      signal?.throwIfAborted()
      if (head.length < start.length) {
        head = Buffer.concat([head, bytes.subarray(0, start.length - head.length)])
        if (!start.subarray(0, head.length).equals(head)) throw notOurs('It does not start like a backup.')
      }
      if (written >= looked) {
        looked = written + lookEvery
        mustFit(to)
      }
      await file.writeFile(bytes)
      written += bytes.length
    }
  } catch (thrown) {
    if (thrown instanceof StudioError || isSystemError(thrown) || signal?.aborted) throw thrown
    throw notOurs('Its compressed data is damaged or incomplete.')
  } finally {
    await file.close()
  }
}

function mustFit(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize > reserve) return
  throw new StudioError(
    'disk_full',
    `There is too little space in ${dirname(path)} to unpack this backup. Nothing was changed.`,
  )
}
