import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StudioError } from '../../errors.ts'
import { endingOf, endingsOf, plainType } from '../../shared/audioFileTypes.ts'
import { fileStem } from '../../shared/fileName.ts'
import type { CreatedItem } from '../../store/createdMedia.ts'
import { uuid } from './files.ts'

/** Name of the list in the export folder: one JSON document per line. */
export const listName = 'media.jsonl'
/** Maximum number of characters of text in a file name. */
const longest = 60
const pictures: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'audio/pcm': 'pcm',
}

export interface MediaExport {
  /** Number of files written. */
  files: number
  /** Items whose file is missing or differs from its row. */
  missing: number
}

/**
 * Exports speeches, recordings and images to a new folder, each as a file in a common format. Adds a list with the SHA-256 of each file.
 * Verifies each file against its row while copying: a damaged file is left out and listed as missing.
 * @throws StudioError `no_such_item` if there is nothing to export
 */
export async function exportMedia(
  items: Iterable<CreatedItem>,
  { mediaDir, to, wanted }: { mediaDir: string; to: string; wanted(createdAt: string): boolean },
): Promise<MediaExport> {
  const done: MediaExport = { files: 0, missing: 0 }
  const taken = new Set<string>()
  let list: FileHandle | null = null
  try {
    for (const item of items) {
      if (!wanted(item.createdAt)) continue
      if (!list) {
        await mkdir(to, { mode: 0o700 })
        list = await open(join(to, listName), 'wx', 0o600)
      }
      const name = freeName(item, taken)
      const facts = await write(item, mediaDir, join(to, name))
      if (facts) done.files += 1
      else done.missing += 1
      const { kind, id, of, createdAt, words, wish, file } = item
      const line = { file: facts ? name : null, kind, id, ...(of !== null && { of }), createdAt, words, wish, ...facts }
      await list.writeFile(`${JSON.stringify({ ...line, ...(file && { mime: file.mime }) })}\n`)
    }
  } finally {
    await list?.close()
  }
  if (!list) throw new StudioError('no_such_item', 'There are no speeches, recordings or images from that time.')
  return done
}

/** Copies the file of an item. Returns null if the stored file is missing or damaged. @throws file system errors */
async function write(
  item: CreatedItem,
  mediaDir: string,
  path: string,
): Promise<{ bytes: number; sha256: string } | null> {
  if (item.file === null) {
    const bytes = Buffer.from(item.text ?? '')
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600 })
    return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  }
  const { mediaId, sha256 } = item.file
  if (!uuid.test(mediaId)) return null
  const hash = createHash('sha256')
  let bytes = 0
  const summing = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      hash.update(chunk)
      bytes += chunk.length
      next(null, chunk)
    },
  })
  try {
    const from = createReadStream(join(mediaDir, mediaId), { highWaterMark: 1024 * 1024 })
    await pipeline(from, summing, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null
    throw thrown
  }
  if (hash.digest('hex') === sha256) return { bytes, sha256 }
  await rm(path)
  return null
}

/** A unique name such as `2026-11-21 speech Good morning.mp3`, which sorts by time. Names that differ only by case count as equal. */
function freeName({ kind, createdAt, words, file }: CreatedItem, taken: Set<string>): string {
  const known = kind === 'recording' ? endingOf(words) : null
  const plain =
    known !== null && endingsOf(file?.mime ?? '').includes(known) ? words.slice(0, -known.length - 1) : words
  const stem = `${createdAt.slice(0, 10)} ${kind} ${fileStem(plain, longest, '')}`.trim()
  const ending = file === null ? 'txt' : (pictures[plainType(file.mime)] ?? endingsOf(file.mime)[0] ?? 'bin')
  for (let turn = 1; ; turn += 1) {
    const name = `${stem}${turn === 1 ? '' : ` (${turn})`}.${ending}`
    const folded = name.normalize('NFC').toLowerCase()
    if (taken.has(folded)) continue
    taken.add(folded)
    return name
  }
}
