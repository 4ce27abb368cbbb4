import type { SpeechFormat } from '../../../../src-preload/contract/speech.ts'

/** MIME types for playback. Opus is in Ogg (RFC 7845), which the service calls `audio/opus`. */
export const mimeOf: Record<SpeechFormat, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

export const extensionOf: Record<SpeechFormat, string> = {
  mp3: 'mp3',
  opus: 'ogg',
  aac: 'aac',
  flac: 'flac',
  wav: 'wav',
  pcm: 'pcm',
}

/** File name from the beginning of the text, without characters that file systems reject. */
export function speechName(excerpt: string, extension: string): string {
  const words = excerpt
    .replace(/[\p{C}<>:"/\\|?*]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 60)
    .toWellFormed()
    .replace(/^[. ]+|[. ]+$/g, '')
  return `${words === '' ? 'Speech' : words}.${extension}`
}
