import { type Download, partBytes } from '../../src-preload/contract/transfers.ts'
import type { Client } from './connect.ts'

export interface UploadOptions {
  signal?: AbortSignal
  /** Bytes that the core has. */
  onProgress?: (sent: number) => void
}

/**
 * Brings a file up to the core, part by part; the next part is read while one is on its way. What is aborted or fails is taken
 * away there. The core forgets an upload that nobody used after an hour.
 * @throws what the calls throw; the signal's reason
 */
export async function upload(
  client: Client,
  file: Blob,
  { signal, onProgress = () => undefined }: UploadOptions = {},
): Promise<string> {
  const name = file instanceof File ? file.name.slice(-300) : ''
  const options = signal ? { signal } : {}
  const { uploadId } = await client.transfers.begin({ name, bytes: file.size }, options)
  try {
    let next = readPart(file, 0)
    for (let at = 0; at < file.size; ) {
      const data = await next
      next = readPart(file, at + partBytes)
      const { received } = await client.transfers.part({ uploadId, at, data }, options)
      at = received
      onProgress(at)
      signal?.throwIfAborted()
    }
    return uploadId
  } catch (thrown) {
    // Where the connection is lost this cannot be told; the hour does it then.
    client.transfers.drop({ uploadId }).catch(() => undefined)
    throw thrown
  }
}

function readPart(file: Blob, at: number): Promise<string> {
  if (at >= file.size) return Promise.resolve('')
  const read = base64Of(file.slice(at, at + partBytes))
  // It may fail while the part before it is still on its way; whoever waits for it hears of it all the same.
  read.catch(() => undefined)
  return read
}

/** Base64 by the browser's own reader, off this thread; a file that cannot be read any more is an error. */
export function base64Of(blob: Blob): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => {
      const url = typeof reader.result === 'string' ? reader.result : ''
      resolve(url.slice(url.indexOf(',') + 1))
    }
    reader.onerror = () => reject(new Error('The file cannot be read any more.', { cause: reader.error }))
    reader.readAsDataURL(blob)
  })
}

/** Fetches a file that the core made and lets the browser save it under its name. @throws what the calls throw */
export async function save(client: Client, { downloadId, name, mime }: Download): Promise<void> {
  try {
    const parts: BlobPart[] = []
    for (let at = 0; ; ) {
      const { data } = await client.transfers.read({ downloadId, at })
      if (data === '') break
      const part = bytesOf(data)
      parts.push(part)
      at += part.length
    }
    saveBlob(new Blob(parts, { type: mime }), name)
  } finally {
    client.transfers.release({ downloadId }).catch(() => undefined)
  }
}

export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  document.body.append(link)
  link.click()
  link.remove()
  // The browser reads it after this task; a minute is long enough for any of them to have begun.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** The bytes of base64 text of ours. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
