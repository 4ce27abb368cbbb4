import type { Certainty } from '../../../../src-preload/contract/requests.ts'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import type { Listeners } from '../../shared/events.ts'
import type { MediaItem } from '../../store/media.ts'
import type { Store } from '../../store/store.ts'
import type { ByteReply, CallOptions, SpeechRequest } from '../../upstream/types.ts'
import type { SpeechRun } from './speechRun.ts'
import type { SpeechView } from './view.ts'

/** The one thing that this room needs of the service. */
export interface SpeechUpstream {
  createSpeech(request: SpeechRequest, options: CallOptions): Promise<ByteReply>
}

/** A file of `making/` as it grows; see core/media. */
export interface GrowingPart {
  append(bytes: Uint8Array): Promise<number>
  sync(): Promise<void>
  close(): Promise<void>
}

/** What this room needs of the files. */
export interface SpeechFiles {
  addSound(
    source: { path: string },
    facts: { mime: string; name: string | null },
    then: (item: MediaItem) => void,
  ): Promise<MediaItem>
  growing: {
    grow(name: string, options: { durable: boolean }): Promise<GrowingPart>
    /** All there are now, and whose they are. */
    names(): string[]
    ownerOf(name: string): string | null
    left(id: string): Promise<{ name: string; bytes: number }[]>
    pathOf(name: string): string
    discard(name: string): Promise<void>
    discardAll(id: string): Promise<void>
  }
  pathOf(mediaId: string): string | null
  copyTo(mediaId: string, path: string): Promise<MediaItem>
  /** Erases those that nothing names any more. */
  drop(mediaIds: readonly string[]): Promise<void>
}

export interface SpeechParts {
  store: Pick<Store, 'speeches' | 'transaction' | 'pending'>
  /** @throws StudioError `not_connected` */
  upstream(): Promise<SpeechUpstream>
  /** Of a row in the books that has ended. */
  costOf(row: number): { cost: string | null; costIs: Certainty }
  media: SpeechFiles
  downloads: { offer(file: { path: string; name: string; mime: string; bytes: number }): Download }
  /** Where a file that is offered may be made. */
  tempDir: string
  log(level: 'info' | 'warn' | 'error', line: string): void
}

/** What the parts of this room share. */
export interface SpeechFeature extends SpeechParts {
  /** Aborted when the program ends: writes that the database refuses are waited for until then. */
  closing: AbortSignal
  /** What is being spoken, by the speech's id. */
  runs: Map<string, SpeechRun>
  view: SpeechView
  /** A speech changed; what it is now, watchers read themselves. */
  changes: Listeners<[id: string]>
  /** How many listen to the parts of a speech; their files stay as long. */
  listening: Map<string, number>
}

/** The file of `making/` in which a part lies. */
export const partName = (id: string, part: number): string => `${id}.part-${String(part).padStart(4, '0')}`
