import type { VoiceName } from './voices.ts'

export type SandboxSpeechFormat = 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm'
/** `input` as given, `speed` 0.25 to 4 (tempo; the pitch stays). */
export type SandboxSpeechRequest = { input: string; voice: VoiceName; format: SandboxSpeechFormat; speed: number }
