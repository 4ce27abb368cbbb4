import type { Certainty } from '../../../../src-preload/contract/requests.ts'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import type { Listeners } from '../../shared/events.ts'
import type { MediaItem } from '../../store/media.ts'
import type { Store } from '../../store/store.ts'
import type { ByteReply, CallOptions, CreateSpeechRequest } from '../../upstream/types.ts'
import type { SpeechRun } from './speechRun.ts'
import type { PriceOf, SpeechView } from './view.ts'

/** The part of the service client that this feature uses. */
export interface SpeechUpstream {
  createSpeech(request: CreateSpeechRequest, options: CallOptions): Promise<ByteReply>
}

/** A file in `making/` that is being written; see features/media. */
export interface GrowingPart {
  append(bytes: Uint8Array): Promise<number>
  sync(): Promise<void>
  close(): Promise<void>
}

/** The part of the media feature that this feature uses. */
export interface SpeechFiles {
  addSound(
    source: { path: string },
    facts: { mime: string; name: string | null },
    then: (item: MediaItem) => void,
  ): Promise<MediaItem>
  growing: {
    grow(name: string, options: { durable: boolean }): Promise<GrowingPart>
    /** All current file names. `ownerOf` returns the id of the speech of a file. */
    names(): string[]
    ownerOf(name: string): string | null
    left(id: string): Promise<{ name: string; bytes: number }[]>
    pathOf(name: string): string
    discard(name: string): Promise<void>
    discardAll(id: string): Promise<void>
  }
  pathOf(mediaId: string): string | null
  copyTo(mediaId: string, path: string): Promise<MediaItem>
  /** Deletes files that nothing refers to any more. */
  drop(mediaIds: readonly string[]): Promise<void>
}

export interface SpeechParts {
  store: Pick<Store, 'speeches' | 'transaction' | 'pending'>
  /** @throws StudioError `not_connected` */
  upstream(): Promise<SpeechUpstream>
  /** Cost of an ended request, by its log row. */
  costOf(row: number): { cost: string | null; costIs: Certainty }
  priceOf: PriceOf
  /** Called after a speech of unknown price. The next usage reply of the service may contain the price. */
  priceWanted(): void
  media: SpeechFiles
  downloads: { offer(file: { path: string; name: string; mime: string; bytes: number }): Download }
  /** Folder for files that are offered as downloads. */
  tempDir: string
  log(level: 'info' | 'warn' | 'error', line: string): void
}

/** State that the files of this feature share. */
export interface SpeechFeature extends SpeechParts {
  /** Aborted when the program ends. Retries of refused database writes stop then. */
  closing: AbortSignal
  /** Running speeches, by id. */
  runs: Map<string, SpeechRun>
  view: SpeechView
  /** A speech changed. Listeners read its new state themselves. */
  changes: Listeners<[id: string]>
  /** Number of listeners per speech. Its part files stay while there are any. */
  listening: Map<string, number>
}

/** Name of the file in `making/` for a part. */
export const partName = (id: string, part: number): string => `${id}.part-${String(part).padStart(4, '0')}`
