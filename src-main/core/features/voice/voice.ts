import type { Upstream } from '../../upstream/client.ts'

/** Dependencies of reading aloud and dictation. */
export interface VoiceFeature {
  /** @throws StudioError `not_connected` */
  upstream(): Promise<Pick<Upstream, 'createSpeech' | 'createTranscription'>>
  /** The voice from the settings; null leaves the choice to the service. */
  voice(): string | null
  /** Files that a page uploaded. `dropped` aborts when the upload is dropped. */
  uploads: {
    take(uploadId: string): { path: string; name: string; bytes: number; dropped: AbortSignal }
    done(uploadId: string): Promise<void>
  }
  /** Running dictations and the latest successful ones, by upload. */
  dictations: Map<string, Promise<{ text: string }>>
}
