import type { Transfers } from '../features/transfers/transfers.ts'
import type { Host } from '../host.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures around uploads, and pages for the browser. The bytes themselves are in bytes.ts. */
export const transfersHandlers = (os: Implementer['transfers'], host: Host, { uploads, pages }: Transfers) => ({
  beginUpload: os.beginUpload.handler(({ input }) => uploads.begin(input)),
  cancelUpload: os.cancelUpload.handler(({ input }) => done(uploads.drop(input.uploadId))),
  openPage: os.openPage.handler(async ({ input }) => ({ pageId: await pages.open(host, input.html) })),
})
