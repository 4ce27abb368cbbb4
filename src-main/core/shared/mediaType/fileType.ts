import { readImageHeader } from '../../../../src-preload/contract/imageHeader.ts'
import { soundHead, soundType } from './audio.ts'

/** Kind, type and size of a file in `media/` by its bytes. Used to recover files whose database row was lost. */
export function fileType(bytes: Uint8Array) {
  const image = readImageHeader(bytes)
  if (image) return { kind: 'image' as const, ...image }
  return { kind: 'audio' as const, mime: soundType(bytes.subarray(0, soundHead), ''), width: null, height: null }
}
