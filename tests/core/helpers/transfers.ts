import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Transfers } from '../../../src-main/core/features/transfers/transfers.ts'
import type { BytesHandler, BytesReply, BytesRequest } from '../../../src-main/core/ports/bytes.ts'
import { partBytes, partType, recordingPath, transferPath } from '../../../src-preload/contract/transfers.ts'

/** Uploads a file in parts, as a page does. */
export async function uploadFile(
  { uploads }: { uploads: Pick<Transfers['uploads'], 'begin' | 'part'> },
  name: string,
  bytes: Buffer,
  size = partBytes,
): Promise<string> {
  const { uploadId } = await uploads.begin({ name, bytes: bytes.length })
  for (let at = 0; at < bytes.length; at += size) {
    await uploads.part({ uploadId, at, body: Readable.from([bytes.subarray(at, at + size)]) })
  }
  return uploadId
}

/** Reads an offered file to its end, which deletes it. */
export async function readDownload({ downloads }: Pick<Transfers, 'downloads'>, downloadId: string): Promise<Buffer> {
  const file = downloads.find(downloadId)
  if (!file) throw new Error('The download is not there.')
  return buffer(file.read())
}

/** A request below `/transfers/` without a host. */
export const ask = (bytes: BytesHandler, path: string, more: Partial<BytesRequest> = {}): Promise<BytesReply> =>
  bytes({
    method: 'GET',
    path,
    query: new URLSearchParams(),
    contentType: null,
    contentLength: null,
    body: Readable.from([]),
    ...more,
  })

/** Stores bytes from an offset, in an upload or a recording. */
export const put = (bytes: BytesHandler, path: string, at: number, data: Buffer): Promise<BytesReply> =>
  ask(bytes, path, {
    method: 'PUT',
    query: new URLSearchParams({ at: String(at) }),
    contentType: partType,
    contentLength: data.length,
    body: Readable.from([data]),
  })

const ok = ({ status, body }: BytesReply): Promise<Buffer> => {
  if (status !== 200 || !body) throw new Error(`Refused with ${status}.`)
  return buffer(body)
}

interface Starting {
  transfers: { beginUpload(input: { name: string; bytes: number }): Promise<{ uploadId: string }> }
}

/** Uploads and downloads of a whole core, as by a page. */
export const bytesOfCore = ({ bytes }: { bytes: BytesHandler }) => ({
  async upload(client: Starting, name: string, data: Buffer): Promise<string> {
    const { uploadId } = await client.transfers.beginUpload({ name, bytes: data.length })
    for (let at = 0; at < data.length; at += partBytes) {
      await ok(await put(bytes, transferPath(uploadId), at, data.subarray(at, at + partBytes)))
    }
    return uploadId
  },
  append: async (recordingId: string, at: number, data: Buffer) =>
    ok(await put(bytes, recordingPath(recordingId), at, data)),
  download: async ({ downloadId }: { downloadId: string }) => ok(await ask(bytes, transferPath(downloadId))),
})
