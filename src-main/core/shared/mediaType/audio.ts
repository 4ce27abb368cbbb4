const ascii = (bytes: Uint8Array, at: number, text: string): boolean => {
  if (at + text.length > bytes.length) return false
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
}

const contains = (bytes: Uint8Array, text: string): boolean => Buffer.from(bytes).includes(text, 0, 'latin1')

/** Number of bytes that `readSoundType` examines. */
export const soundHead = 4096

/**
 * The media type of a recording by its first bytes, regardless of its name. Null when the bytes are not recognized. Containers that may
 * also contain video (MP4, WebM, Ogg) count as audio, which every browser plays.
 */
export function readSoundType(head: Uint8Array): string | null {
  if (ascii(head, 0, 'RIFF') && ascii(head, 8, 'WAVE')) return 'audio/wav'
  if (ascii(head, 0, 'RF64') && ascii(head, 8, 'WAVE')) return 'audio/wav'
  if (ascii(head, 0, 'fLaC')) return 'audio/flac'
  if (ascii(head, 0, 'OggS')) return 'audio/ogg'
  if (ascii(head, 4, 'ftyp')) return ascii(head, 8, 'qt  ') ? 'video/quicktime' : 'audio/mp4'
  // RFC 8794: EBML's magic number; the document type follows a few bytes later.
  if (head[0] === 0x1a && head[1] === 0x45 && head[2] === 0xdf && head[3] === 0xa3) {
    return contains(head.subarray(0, 64), 'webm') ? 'audio/webm' : 'video/x-matroska'
  }
  if (ascii(head, 0, 'FORM') && (ascii(head, 8, 'AIFF') || ascii(head, 8, 'AIFC'))) return 'audio/aiff'
  if (ascii(head, 0, 'caff')) return 'audio/x-caf'
  if (ascii(head, 0, '#!AMR')) return 'audio/amr'
  if (ascii(head, 0, 'ID3')) return 'audio/mpeg'
  return readFrame(head)
}

/** Detects frames without a container: two sync words in a row, or one when the file has only that. */
function readFrame(head: Uint8Array): string | null {
  const [first = 0, second = 0, third = 0] = head
  if (first !== 0xff) return null
  // ISO/IEC 13818-7, 6.2: ADTS has 12 bits of sync and layer 0.
  if ((second & 0xf6) === 0xf0) return ((third >> 2) & 15) < 13 ? 'audio/aac' : null
  // ISO/IEC 11172-3, 2.4.1.3: 11 bits of sync, a version, a layer, a bit rate and a sampling rate that exist.
  const version = (second >> 3) & 3
  const layer = (second >> 1) & 3
  const real = (second & 0xe0) === 0xe0 && version !== 1 && layer !== 0 && third >> 4 !== 15 && ((third >> 2) & 3) !== 3
  return real ? 'audio/mpeg' : null
}

/**
 * The media type that an audio file is served with. It is the type of its bytes, else the claimed type if that is a plain audio or video
 * type, else a type that no browser plays. Samples without a header (`audio/pcm`) have no signature and may resemble anything by chance.
 */
export function soundType(head: Uint8Array, claimed: string): string {
  const type = claimed.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'audio/pcm' || /^audio\/l(8|16|24)$/.test(type)) return 'audio/pcm'
  return readSoundType(head) ?? (/^(audio|video)\/[a-z\d][\w.+-]{0,60}$/.test(type) ? type : 'application/octet-stream')
}
