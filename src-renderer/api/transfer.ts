import { type Download, partBytes } from '../../src-preload/contract/transfers.ts'
import type { Client } from './connect.ts'

export interface UploadOptions {
  signal?: AbortSignal
  /** Receives the number of bytes that the core has. */
  onProgress?: (sent: number) => void
}

/**
 * Uploads a file to the core in parts. The next part is read while the current one is sent. An aborted or failed upload is deleted in the
 * core, and the core deletes uploads that are unused for one hour.
 * @returns the id of the upload
 * @throws what the calls throw; the signal's reason
 */
export async function upload(
  client: Client,
  file: Blob,
  { signal, onProgress = () => undefined }: UploadOptions = {},
): Promise<string> {
  const name = file instanceof File ? file.name.slice(-300) : ''
  const options = signal ? { signal } : {}
  const { uploadId } = await client.transfers.beginUpload({ name, bytes: file.size }, options)
  try {
    let next = readPart(file, 0)
    for (let at = 0; at < file.size; ) {
      const data = await next
      next = readPart(file, at + partBytes)
      const { received } = await client.transfers.uploadPart({ uploadId, at, data }, options)
      at = received
      onProgress(at)
      signal?.throwIfAborted()
    }
    return uploadId
  } catch (thrown) {
    // This call also fails when the connection is lost. The core then deletes the upload after an hour.
    client.transfers.cancelUpload({ uploadId }).catch(() => undefined)
    throw thrown
  }
}

function readPart(file: Blob, at: number): Promise<string> {
  if (at >= file.size) return Promise.resolve('')
  const read = base64Of(file.slice(at, at + partBytes))
  // Prevents an unhandled rejection: this read can fail while the previous part is being sent. The caller awaits the promise later.
  read.catch(() => undefined)
  return read
}

/**
 * Encodes as base64 with the browser's FileReader, off the main thread.
 * @throws Error when the file can no longer be read
 */
export function base64Of(blob: Blob): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => {
      const url = typeof reader.result === 'string' ? reader.result : ''
      resolve(url.slice(url.indexOf(',') + 1))
    }
    reader.onerror = () => reject(new Error('The file can no longer be read.', { cause: reader.error }))
    reader.readAsDataURL(blob)
  })
}

/**
 * Downloads a file that the core created, and has the browser save it under its name.
 * @throws what the calls throw
 */
export async function save(client: Client, { downloadId, name, mime }: Download): Promise<void> {
  try {
    const parts: BlobPart[] = []
    for (let at = 0; ; ) {
      const { data } = await client.transfers.readDownload({ downloadId, at })
      if (data === '') break
      const part = bytesOf(data)
      parts.push(part)
      at += part.length
    }
    saveBlob(new Blob(parts, { type: mime }), name)
  } finally {
    client.transfers.releaseDownload({ downloadId }).catch(() => undefined)
  }
}

export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  document.body.append(link)
  link.click()
  link.remove()
  // The browser starts to read the blob after this task. One minute is enough for any browser.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Decodes base64 text. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
