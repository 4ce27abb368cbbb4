import type { Upstream } from '../../upstream/client.ts'

/** What reading aloud and dictation need. */
export interface VoiceFeature {
  /** @throws StudioError `not_connected` */
  upstream(): Promise<Pick<Upstream, 'createSpeech' | 'createTranscription'>>
  /** The voice of the settings; null is the service's own choice. */
  voice(): string | null
  /** Files that came up from a page. */
  uploads: {
    take(uploadId: string): { path: string; name: string; bytes: number; dropped: AbortSignal }
    done(uploadId: string): Promise<void>
  }
  /** Dictations under way and the latest that succeeded, by upload. */
  dictations: Map<string, Promise<{ text: string }>>
}
