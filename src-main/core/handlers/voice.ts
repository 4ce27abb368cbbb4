import { dictate } from '../features/voice/dictate.ts'
import { speak } from '../features/voice/speak.ts'
import type { VoiceFeature } from '../features/voice/voice.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import type { Implementer } from './implementer.ts'

/** Procedures that read replies aloud and take dictation. */
export const voiceHandlers = (os: Implementer['voice'], host: Host, voice: VoiceFeature) => ({
  speak: os.speak.handler(({ input, signal }) => guarded(host, speak(voice, input, signal))),
  dictate: os.dictate.handler(({ input }) => dictate(voice, input)),
})
