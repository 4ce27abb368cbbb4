import type { Attachment } from '../../../../src-preload/contract/chat.ts'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import type { Words } from '../../../../src-renderer/i18n/host.ts'
import type { Store } from '../../store/store.ts'

/** Interfaces that import and export need from other features. */
export interface ArchiveDependencies {
  store: Store
  /** Folder for temporary files, inside the data folder. Its owner deletes files that a crashed process left. */
  tempDir: string
  version: string
  words: Words
  media: {
    /** @throws StudioError `no_such_item` */
    bytes(id: string): Promise<Buffer>
    /** The returned id may differ from the given one. */
    addDocument(source: { bytes: Uint8Array }, facts: { name: string | null; id?: string }): Promise<{ id: string }>
    /** The returned id may differ from the given one. @throws StudioError `bad_input` if the file is not an image */
    importFile(file: { bytes: Uint8Array; id: string; name: string | null }): Promise<Omit<Attachment, 'detail'>>
  }
  downloads: { offer(file: { path: string; name: string; mime: string; bytes: number }): Download }
  uploads: {
    /** @throws StudioError `no_such_item` */
    take(uploadId: string): { path: string; name: string }
    done(uploadId: string): Promise<void>
  }
  /** Called after a failed import. Deletes the partly imported conversations, which are on the erasure list. */
  cleanUp(): Promise<void>
  /** Called with the ids of conversations that have just become visible. */
  added(conversationIds: readonly string[]): void
  now?: () => number
}
