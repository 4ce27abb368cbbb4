import type { Upstream } from '../../upstream/client.ts'

/** What reading aloud and dictation need from others. */
export interface VoiceFeature {
  /** @throws StudioError `not_connected` */
  upstream(): Promise<Pick<Upstream, 'createSpeech' | 'createTranscription'>>
  /** The voice from the settings; null leaves the choice to the service. */
  voice(): string | null
  /** Files that a page uploaded. */
  uploads: {
    take(uploadId: string): { path: string; name: string; bytes: number; dropped: AbortSignal }
    done(uploadId: string): Promise<void>
  }
  /** Running dictations and the latest successful ones, by upload. */
  dictations: Map<string, Promise<{ text: string }>>
}
