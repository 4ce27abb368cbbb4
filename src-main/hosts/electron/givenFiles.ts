import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { Readable } from 'node:stream'
import { type GivenFile, maxGivenFiles } from '../../../src-preload/contract/desktop.ts'

/** Largest file that is given to a page, bytes: the limit of the composer. */
const maxBytes = 64 * 1024 * 1024
/** Most files that no page has read yet. The oldest ones are dropped. */
const maxWaiting = 64

/** Types of images, and text for files that are often opened. The page decides by the content what a file is. */
const types: Record<string, string> = {
  ...{ '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.gif': 'image/gif', '.webp': 'image/webp' },
  ...{ '.avif': 'image/avif', '.bmp': 'image/bmp', '.heic': 'image/heic', '.svg': 'image/svg+xml' },
  ...{ '.txt': 'text/plain', '.md': 'text/markdown', '.csv': 'text/csv', '.json': 'application/json' },
  ...{ '.pdf': 'application/pdf', '.html': 'text/html' },
}

type Source = { path: string } | { content: Buffer }

/**
 * Files that the person opened with the application. A page gets their names and ids, never paths, and reads each once. Only the person's
 * own action adds a file, so a page can't ask for another one.
 */
export class GivenFiles {
  readonly #waiting = new Map<string, { file: GivenFile; source: Source }>()

  /** Offers files. `skipped` has the names of folders, missing and very large files, and of those above the limit. */
  async offer(paths: readonly string[]): Promise<{ files: GivenFile[]; skipped: string[] }> {
    const files: GivenFile[] = []
    const skipped: string[] = []
    for (const path of new Set(paths)) {
      const name = basename(path).slice(-300)
      const found = files.length < maxGivenFiles ? await stat(path).catch(() => null) : null
      if (!found?.isFile() || found.size > maxBytes) skipped.push(name)
      else files.push(this.#add({ name, mime: mimeOf(name), bytes: found.size }, { path }))
    }
    return { files, skipped }
  }

  /** Offers content that is in memory, such as a screenshot. */
  offerContent(name: string, mime: string, content: Buffer): GivenFile {
    return this.#add({ name, mime, bytes: content.length }, { content })
  }

  /** The content of a file, or null for an unknown id and a second call. */
  open(id: string): { file: GivenFile; body: Readable } | null {
    const entry = this.#waiting.get(id)
    if (!entry) return null
    this.#waiting.delete(id)
    const { file, source } = entry
    // At most the size that the page knows, also when the file has grown.
    const body =
      'content' in source
        ? Readable.from([source.content])
        : file.bytes === 0
          ? Readable.from([])
          : createReadStream(source.path, { end: file.bytes - 1 })
    return { file, body }
  }

  #add(facts: Omit<GivenFile, 'id'>, source: Source): GivenFile {
    const file = { id: randomUUID(), ...facts }
    this.#waiting.set(file.id, { file, source })
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= maxWaiting) break
      this.#waiting.delete(oldest)
    }
    return file
  }
}

const mimeOf = (name: string): string => types[extname(name).toLowerCase()] ?? 'application/octet-stream'
