import type { VoiceSampleKey } from '../../store/voiceSamples.ts'
import type { Upstream } from '../../upstream/client.ts'

/** Dependencies of reading aloud and dictation. */
export interface VoiceFeature {
  /** @throws StudioError `not_connected` */
  upstream(): Promise<Pick<Upstream, 'base' | 'createSpeech' | 'createTranscription'>>
  /** The voice from the settings; null leaves the choice to the service. */
  voice(): string | null
  /** Files that a page uploaded. `dropped` aborts when the upload is dropped. */
  uploads: {
    take(uploadId: string): { path: string; name: string; bytes: number; dropped: AbortSignal }
    done(uploadId: string): Promise<void>
  }
  /** Running dictations and the latest successful ones, by upload. */
  dictations: Map<string, Promise<{ text: string }>>
  /** The stored samples of voices. */
  samples: { find(key: VoiceSampleKey): string | null; save(key: VoiceSampleKey, mediaId: string): void }
  /** Requests of samples that are running, by key. */
  runningSamples: Map<string, Promise<string>>
  /** Stores audio as a media file. `then` runs in the transaction of its row. */
  addSound(
    source: { bytes: readonly Uint8Array[] },
    facts: { mime: string; name: string | null },
    then: (item: { id: string }) => void,
  ): Promise<{ id: string }>
}
