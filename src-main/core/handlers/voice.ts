import type { Transfers } from '../features/transfers/transfers.ts'
import { dictate } from '../features/voice/dictate.ts'
import { sample } from '../features/voice/sample.ts'
import { speak } from '../features/voice/speak.ts'
import type { VoiceFeature } from '../features/voice/voice.ts'
import type { Implementer } from './implementer.ts'

/** Procedures that read replies aloud and take dictation. */
export const voiceHandlers = (os: Implementer['voice'], voice: VoiceFeature, { streams }: Transfers) => ({
  speak: os.speak.handler(({ input }) => streams.offer((signal) => speak(voice, input, signal))),
  sample: os.sample.handler(({ input }) => sample(voice, input)),
  dictate: os.dictate.handler(({ input }) => dictate(voice, input)),
})
