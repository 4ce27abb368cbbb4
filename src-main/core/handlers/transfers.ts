import type { Transfers } from '../features/transfers/transfers.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures around uploads. The bytes themselves are in bytes.ts. */
export const transfersHandlers = (os: Implementer['transfers'], { uploads }: Transfers) => ({
  beginUpload: os.beginUpload.handler(({ input }) => uploads.begin(input)),
  cancelUpload: os.cancelUpload.handler(({ input }) => done(uploads.drop(input.uploadId))),
})
