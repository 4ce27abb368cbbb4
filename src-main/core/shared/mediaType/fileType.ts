import { soundHead, soundType } from './audio.ts'
import { readPicture } from './image.ts'

/** Identifies a file of `media/` by its bytes, for a file whose database row was lost. */
export function fileType(bytes: Uint8Array) {
  const picture = readPicture(bytes)
  if (picture) return { kind: 'image' as const, ...picture }
  return { kind: 'audio' as const, mime: soundType(bytes.subarray(0, soundHead), ''), width: null, height: null }
}
