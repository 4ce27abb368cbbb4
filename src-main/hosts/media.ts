import type { Readable } from 'node:stream'
import type { Core } from '../core/core.ts'

/** Opens the media files that `/media/ID` serves. */
export type MediaSource = Core['media']

/** A response to `/media/ID`. */
export interface MediaAnswer {
  status: 200 | 206 | 404 | 405 | 416
  headers: Record<string, string>
  /** Null for HEAD and for refusals. */
  body: Readable | null
}

/** Path prefix of media ids. */
export const mediaPrefix = '/media/'

/**
 * Media files are untrusted: they are served with the type detected from their bytes, run no scripts even when opened
 * directly, and are unreadable for other sites. The content of an id never changes.
 */
const headersOfAll = {
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/**
 * Answers a request for `/media/ID`. The host has authenticated it. `path` is not decoded, because ids need no escaping.
 * Only a single range is supported. Several or invalid ranges get the whole file (RFC 9110, 14.2).
 */
export async function answerMedia(
  media: MediaSource,
  { method, path, range, ifRange }: { method: string; path: string; range: string | null; ifRange: string | null },
): Promise<MediaAnswer> {
  if (method !== 'GET' && method !== 'HEAD') return refuse(405, { Allow: 'GET, HEAD' })
  const file = await media.open(path.slice(mediaPrefix.length))
  if (file === null) return refuse(404)
  // Responses have no validator, so If-Range never matches.
  const asked = range === null || ifRange !== null ? 'whole' : readRange(range, file.bytes)
  if (asked === 'none') return refuse(416, { 'Content-Range': `bytes */${file.bytes}` })
  const { start, end } = asked === 'whole' ? { start: 0, end: file.bytes - 1 } : asked
  return {
    status: asked === 'whole' ? 200 : 206,
    headers: {
      ...headersOfAll,
      'Content-Type': file.mime,
      'Content-Length': String(end - start + 1),
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, max-age=31536000, immutable',
      ...(asked !== 'whole' && { 'Content-Range': `bytes ${start}-${end}/${file.bytes}` }),
    },
    body: method === 'HEAD' || file.bytes === 0 ? null : file.read(start, end),
  }
}

function refuse(status: 404 | 405 | 416, more: Record<string, string> = {}): MediaAnswer {
  return {
    status,
    headers: { ...headersOfAll, 'Cache-Control': 'no-store', 'Content-Length': '0', ...more },
    body: null,
  }
}

/** Parses a Range header (RFC 9110, 14.1.2). `none`: not satisfiable. */
function readRange(header: string, bytes: number): { start: number; end: number } | 'whole' | 'none' {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header.trim()) ?? []
  if (first === '' && last === '') return 'whole'
  if (first === '') {
    const count = Math.min(Number(last), bytes)
    return count === 0 ? 'none' : { start: bytes - count, end: bytes - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'whole'
  return start >= bytes ? 'none' : { start, end: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) }
}
