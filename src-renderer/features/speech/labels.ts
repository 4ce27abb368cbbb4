import { type Speech, speechInputBytes } from '../../../src-preload/contract/speech.ts'
import { showSpan } from '../../i18n/format.ts'

const encoder = new TextEncoder()

/** The length of a text in UTF-8 bytes, as the service counts it. */
export const bytesIn = (text: string): number => encoder.encode(text).length

export const fitsOneRequest = (bytes: number): boolean => bytes <= speechInputBytes

/** A duration in s as text: `2.5 s`, `42 s`, `3 min 05 s`. */
export const lengthOf = (seconds: number): string =>
  showSpan(seconds, seconds < 9.95 && Math.round(seconds * 10) % 10 !== 0 ? 1 : 0)

/** Values that the service uses for unset fields (specification, POST /v1/audio/speech). */
export const defaultVoice = 'alloy'
export const defaultModel = 'tts-1'
export const defaultSpeed = 1

export const voiceOf = ({ voice }: Pick<Speech, 'voice'>): string => voice ?? defaultVoice

/** Whether no more audio arrives. */
export const isOver = ({ state }: Pick<Speech, 'state'>): boolean => state !== 'making'
/** Whether the speech ended incomplete and can be resumed. */
export const canResume = ({ state }: Pick<Speech, 'state'>): boolean => state !== 'making' && state !== 'done'
