import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { extname, join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
}

/** A static file of the page. */
export interface PageFile {
  path: string
  bytes: number
  type: string
  cacheControl: string
}

/**
 * Indexes the built page by URL path. Only files found at start are served: paths are looked up, never resolved,
 * so that no spelling of `..` can leave the folder. Empty when the page is not built.
 */
export async function indexPageFiles(folder: string): Promise<Map<string, PageFile>> {
  const files = new Map<string, PageFile>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return []
    throw thrown
  })
  for (const entry of entries) {
    // Symbolic links could point outside the folder.
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const urlPath = `/${path.slice(folder.length).split(sep).filter(Boolean).join('/')}`
    const file = {
      path,
      bytes: (await stat(path)).size,
      type: types[extname(path).toLowerCase()] ?? 'application/octet-stream',
      // File names in assets/ contain a content hash.
      cacheControl: urlPath.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    }
    files.set(urlPath, file)
    if (urlPath === '/index.html') files.set('/', file)
  }
  return files
}

/** Sends a file, without the body for HEAD. A reader that disconnects is not an error. */
export async function sendFile(reply: ServerResponse, file: PageFile, head: boolean, status = 200): Promise<void> {
  reply.writeHead(status, {
    'Content-Type': file.type,
    'Content-Length': file.bytes,
    'Cache-Control': file.cacheControl,
  })
  if (head) {
    reply.end()
    return
  }
  await pipeline(createReadStream(file.path), reply).catch(() => reply.destroy())
}
