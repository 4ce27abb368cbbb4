import type { Attachment } from '../../../../src-preload/contract/chat.ts'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import type { Store } from '../../store/store.ts'

/** What reading in and out asks of the rooms beside it. */
export interface ArchiveParts {
  store: Store
  /** Below the data folder; files that a dead process left there are taken away by its owner. */
  tempDir: string
  version: string
  media: {
    /** @throws StudioError `no_such_item` */
    bytes(id: string): Promise<Buffer>
    /** The answer's id holds, it may differ. @throws StudioError `bad_input` for what is no picture */
    importFile(file: { bytes: Uint8Array; id: string; name: string | null }): Promise<Omit<Attachment, 'detail'>>
  }
  downloads: { offer(file: { path: string; name: string; mime: string; bytes: number }): Download }
  uploads: {
    /** @throws StudioError `no_such_item` */
    take(uploadId: string): { path: string; name: string }
    done(uploadId: string): Promise<void>
  }
  /** An import failed half way: what it brought in is written down as to be erased. */
  cleanUp(): Promise<void>
  /** These conversations are in sight now. */
  added(conversationIds: readonly string[]): void
  now?: () => number
}
