import { type Download, partBytes } from '../../src-preload/contract/transfers.ts'
import type { Client } from './connect.ts'

export interface UploadOptions {
  signal?: AbortSignal
  /** Told after each part: bytes that the core has. */
  onProgress?: (sent: number) => void
}

/** Sends a file up in parts; answers the id under which the core holds it. What is cancelled or fails is dropped there too. */
export async function upload(client: Client, file: File, { signal, onProgress }: UploadOptions = {}): Promise<string> {
  const { uploadId } = await client.transfers.begin(
    { name: file.name.slice(0, 300), bytes: file.size },
    options(signal),
  )
  try {
    for (let at = 0; at < file.size; at += partBytes) {
      signal?.throwIfAborted()
      const data = toBase64(new Uint8Array(await file.slice(at, at + partBytes).arrayBuffer()))
      const { received } = await client.transfers.part({ uploadId, at, data }, options(signal))
      onProgress?.(received)
    }
    return uploadId
  } catch (thrown) {
    // The core gives it up by itself after an hour; a lost link must not hide what happened.
    await client.transfers.drop({ uploadId }).catch(() => undefined)
    throw thrown
  }
}

/** Reads a file that the core made, and gives it to the person as the browser saves files. */
export async function save(client: Client, { downloadId, name, mime, bytes }: Download): Promise<void> {
  try {
    const parts: Uint8Array<ArrayBuffer>[] = []
    for (let at = 0; at < bytes; ) {
      const { data } = await client.transfers.read({ downloadId, at })
      const part = fromBase64(data)
      if (part.length === 0) break
      parts.push(part)
      at += part.length
    }
    const address = URL.createObjectURL(new Blob(parts, { type: mime }))
    const link = document.createElement('a')
    link.href = address
    link.download = name
    link.click()
    // The browser has taken the file over well before.
    setTimeout(() => URL.revokeObjectURL(address), 60_000)
  } finally {
    await client.transfers.release({ downloadId }).catch(() => undefined)
  }
}

const options = (signal: AbortSignal | undefined) => (signal ? { signal } : {})

function toBase64(bytes: Uint8Array): string {
  let text = ''
  // As many arguments at once as every engine takes.
  for (let at = 0; at < bytes.length; at += 32_768) text += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return btoa(text)
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
