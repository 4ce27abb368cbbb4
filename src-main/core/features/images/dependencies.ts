import type { Readable } from 'node:stream'
import type { Attachment } from '../../../../src-preload/contract/chat.ts'
import type { MakingCost } from '../../../../src-preload/contract/createdItems.ts'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import type { MediaItem } from '../../store/media.ts'
import type { Store } from '../../store/store.ts'
import type { Upstream } from '../../upstream/client.ts'

export type ImagesUpstream = Pick<Upstream, 'createImage' | 'fetchFile' | 'redact'>

export interface ImagesParts {
  store: Pick<Store, 'images' | 'transaction' | 'pending'>
  /** @throws StudioError `not_connected` */
  upstream(): Promise<ImagesUpstream>
  /** The cost of an ended request, by its log row. @throws StudioError for an unknown row */
  costOf(row: number): Pick<MakingCost, 'cost' | 'costIs'>
  media: {
    addPicture(
      source: { bytes: readonly Uint8Array[] } | { path: string },
      named: { name: string | null },
      then: (item: MediaItem) => void,
    ): Promise<MediaItem>
    /** Stores bytes that are not a whole image. */
    addDocument(
      source: { bytes: readonly Uint8Array[] },
      named: { name: string | null },
      then: (item: MediaItem) => void,
    ): Promise<MediaItem>
    toDraft(id: string): Omit<Attachment, 'detail'>
    copyTo(id: string, path: string): Promise<MediaItem>
    open(id: string): Promise<{ bytes: number; read(start: number, end: number): Readable } | null>
    drop(ids: readonly string[]): Promise<void>
  }
  /** Files that a page uploaded. */
  uploads: {
    take(uploadId: string): { path: string; bytes: number }
    done(uploadId: string): Promise<void>
  }
  /** A folder for files that are offered as downloads, and the list of downloads. */
  tempDir: string
  downloads: { offer(file: { path: string; name: string; mime: string; bytes: number }): Download }
  zip(path: string): Zip
  log(line: string): void
}

/** A zip file that is written as a stream. */
export interface Zip {
  add(name: string, content: AsyncIterable<Uint8Array>): Promise<unknown>
  end(): Promise<number>
  abandon(): Promise<void>
}
