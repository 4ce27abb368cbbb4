import type { MakingCost } from '../../../../src-preload/contract/createdItems.ts'
import type { Recording } from '../../../../src-preload/contract/transcription.ts'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import type { MediaItem } from '../../store/media.ts'
import type { Store } from '../../store/store.ts'
import type { CallOptions, Transcription, TranscriptionRequest } from '../../upstream/types.ts'

/** A file in `making/` that grows at its end. */
export interface GrowingSound {
  readonly bytes: number
  /** On the disk when it resolves; what is there already of `at` and on is not taken twice. */
  append(bytes: Uint8Array, at: number): Promise<number>
  /** Becomes media; `then` runs in the transaction of its row. */
  finish(facts: { mime: string; name: string | null }, then: (item: MediaItem) => void): Promise<MediaItem>
  discard(): Promise<void>
}

/** What this room asks of where bytes lie. */
export interface SoundFiles {
  growing: {
    /** Opens what an earlier process left, or makes it. */
    grow(id: string): Promise<GrowingSound>
    /** What an earlier process left of it. */
    left(id: string): Promise<{ bytes: number }[]>
    discardAll(id: string): Promise<void>
    pathOf(id: string): string
  }
  /** Takes the file over; `then` runs in the transaction of its row. */
  addSound(
    source: { path: string },
    facts: { mime: string; name: string | null },
    then: (item: MediaItem) => void,
  ): Promise<MediaItem>
  pathOf(mediaId: string): string | null
  /** @throws StudioError `no_such_item` */
  copyTo(mediaId: string, path: string): Promise<MediaItem>
  /** Those that nothing names any more go for good. */
  drop(mediaIds: readonly string[]): Promise<unknown>
}

/** Sound that the Speech room made: a file that is kept already, or one to take over. */
export type SpokenSoundFile = Pick<Recording, 'name' | 'mime' | 'bytes' | 'seconds'> &
  ({ mediaId: string; path: null } | { mediaId: null; path: string })

export interface TranscribeParts {
  store: Pick<Store, 'recordings' | 'transcripts' | 'media' | 'transaction' | 'journal' | 'pending'>
  files: SoundFiles
  transfers: {
    /** For files that are offered. */
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
  /** What a row of the log of requests cost. */
  costOf(row: number): Pick<MakingCost, 'cost' | 'costIs'>
  /** @throws StudioError `no_such_item` where there is no such speech, or nothing of it is whole */
  spoken(speechId: string): Promise<SpokenSoundFile>
  log(level: 'info' | 'warn' | 'error', line: string): void
}
