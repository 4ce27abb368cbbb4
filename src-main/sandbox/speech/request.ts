import type { VoiceName } from './voices.ts'

export type SandboxSpeechFormat = 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm'
/** `speed`: 0.25 to 4, changes the tempo but not the pitch. */
export type SandboxSpeechRequest = { input: string; voice: VoiceName; format: SandboxSpeechFormat; speed: number }
