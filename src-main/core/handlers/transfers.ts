import type { Transfers } from '../features/transfers/transfers.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures that upload and download files in parts. */
export const transfersHandlers = (os: Implementer['transfers'], { uploads, downloads }: Transfers) => ({
  beginUpload: os.beginUpload.handler(({ input }) => uploads.begin(input)),
  uploadPart: os.uploadPart.handler(({ input }) => uploads.part(input)),
  cancelUpload: os.cancelUpload.handler(({ input }) => done(uploads.drop(input.uploadId))),
  readDownload: os.readDownload.handler(({ input }) => downloads.read(input)),
  releaseDownload: os.releaseDownload.handler(({ input }) => done(downloads.release(input.downloadId))),
})
