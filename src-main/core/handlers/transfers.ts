import type { Transfers } from '../features/transfers/transfers.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures that upload and download files in parts. */
export const transfersHandlers = (os: Implementer['transfers'], { uploads, downloads }: Transfers) => ({
  begin: os.begin.handler(({ input }) => uploads.begin(input)),
  part: os.part.handler(({ input }) => uploads.part(input)),
  drop: os.drop.handler(({ input }) => done(uploads.drop(input.uploadId))),
  read: os.read.handler(({ input }) => downloads.read(input)),
  release: os.release.handler(({ input }) => done(downloads.release(input.downloadId))),
})
