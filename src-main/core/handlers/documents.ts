import type { Documents } from '../features/documents/documents.ts'
import type { Implementer } from './implementer.ts'

/** Procedures about documents for chats. */
export const documentsHandlers = (os: Implementer['documents'], documents: Documents) => ({
  add: os.add.handler(({ input, signal }) => documents.add(input, signal)),
  progress: os.progress.handler(({ input }) => ({ pages: documents.progress(input.uploadId) })),
  reread: os.reread.handler(({ input, signal }) => documents.reread(input, signal)),
  text: os.text.handler(({ input }) => documents.text(input)),
})
