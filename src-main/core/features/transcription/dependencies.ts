import type { MakingCost } from '../../../../src-preload/contract/createdItems.ts'
import type { Recording } from '../../../../src-preload/contract/transcription.ts'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import type { MediaItem } from '../../store/media.ts'
import type { Store } from '../../store/store.ts'
import type { CallOptions, Transcription, TranscriptionRequest } from '../../upstream/types.ts'

/** A file in `making/` that is being written. */
export interface GrowingSound {
  readonly bytes: number
  /** Appends bytes and resolves when they are on disk. Skips bytes that the file already has from offset `at` on. */
  append(bytes: Uint8Array, at: number): Promise<number>
  /** Turns the file into a media file; `then` runs in the transaction of its row. */
  finish(facts: { mime: string; name: string | null }, then: (item: MediaItem) => void): Promise<MediaItem>
  discard(): Promise<void>
}

/** The part of the media feature that this feature uses. */
export interface SoundFiles {
  growing: {
    /** Opens the file that an earlier process left, or creates it. */
    grow(id: string): Promise<GrowingSound>
    /** Files of this item that an earlier process left. */
    left(id: string): Promise<{ bytes: number }[]>
    discardAll(id: string): Promise<void>
    pathOf(id: string): string
  }
  /** Moves the file into the media folder; `then` runs in the transaction of its row. */
  addSound(
    source: { path: string },
    facts: { mime: string; name: string | null },
    then: (item: MediaItem) => void,
  ): Promise<MediaItem>
  pathOf(mediaId: string): string | null
  /** @throws StudioError `no_such_item` */
  copyTo(mediaId: string, path: string): Promise<MediaItem>
  /** Deletes files that nothing refers to any more. */
  drop(mediaIds: readonly string[]): Promise<unknown>
}

/** Audio of a speech: a stored file, or a temporary one to move. */
export type SpokenSoundFile = Pick<Recording, 'name' | 'mime' | 'bytes' | 'seconds'> &
  ({ mediaId: string; path: null } | { mediaId: null; path: string })

export interface TranscribeParts {
  store: Pick<Store, 'recordings' | 'transcripts' | 'media' | 'transaction' | 'journal' | 'pending'>
  files: SoundFiles
  transfers: {
    /** Folder for files that are offered as downloads. */
    folder: string
    uploads: {
      take(uploadId: string): { path: string; name: string; bytes: number }
      done(uploadId: string): Promise<void>
    }
    downloads: { offer(file: { path: string; name: string; mime: string; bytes: number }): Download }
  }
  /** @throws StudioError `not_connected` */
  upstream(): Promise<{
    createTranscription(request: TranscriptionRequest, options?: CallOptions): Promise<Transcription>
  }>
  /** The cost of an ended request, by its log row. */
  costOf(row: number): Pick<MakingCost, 'cost' | 'costIs'>
  /** @throws StudioError `no_such_item` for an unknown speech, or one without any complete audio */
  spoken(speechId: string): Promise<SpokenSoundFile>
  log(level: 'info' | 'warn' | 'error', line: string): void
}
