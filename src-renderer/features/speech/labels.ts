import { type Speech, speechInputBytes } from '../../../src-preload/contract/speech.ts'
import { i18n } from '../../i18n/index.ts'

const encoder = new TextEncoder()

/** The length of a text in UTF-8 bytes, as the service counts it. */
export const bytesIn = (text: string): number => encoder.encode(text).length

export const fitsOneRequest = (bytes: number): boolean => bytes <= speechInputBytes

/** A duration in s as text: `42 s`, `3 min 05 s`. */
export function lengthOf(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return i18n.t('speech:seconds', { count: seconds < 10 ? Math.round(seconds * 10) / 10 : whole })
  if (whole < 3600) {
    return i18n.t('speech:minutes', { minutes: Math.floor(whole / 60), seconds: String(whole % 60).padStart(2, '0') })
  }
  return i18n.t('speech:hours', { hours: Math.floor(whole / 3600), minutes: Math.floor(whole / 60) % 60 })
}

/** Values that the service uses for unset fields (specification, POST /v1/audio/speech). */
export const defaultVoice = 'alloy'
export const defaultModel = 'tts-1'
export const defaultSpeed = 1

export const voiceOf = ({ voice }: Pick<Speech, 'voice'>): string => voice ?? defaultVoice

/** Whether no more audio arrives. */
export const isOver = ({ state }: Pick<Speech, 'state'>): boolean => state !== 'making'
/** Whether the speech ended incomplete and can be resumed. */
export const canResume = ({ state }: Pick<Speech, 'state'>): boolean => state !== 'making' && state !== 'done'
