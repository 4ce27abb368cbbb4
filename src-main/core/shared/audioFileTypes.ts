import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { StudioError } from '../errors.ts'

/** File name extensions of each media type, the usual one first. */
const endings: Record<string, readonly string[]> = {
  'audio/webm': ['webm', 'weba'],
  'audio/ogg': ['ogg', 'oga', 'opus'],
  'audio/mp4': ['m4a', 'mp4', 'm4b', 'm4v', '3gp'],
  'audio/wav': ['wav', 'wave'],
  'audio/mpeg': ['mp3', 'mpga', 'mpeg'],
  'audio/flac': ['flac'],
  'audio/aac': ['aac'],
  'audio/aiff': ['aiff', 'aif'],
  'audio/x-caf': ['caf'],
  'audio/amr': ['amr'],
  'video/quicktime': ['mov'],
  'video/x-matroska': ['mkv', 'mka'],
}

/** The extension of a file name, in lower case; null when it has none. */
export const endingOf = (name: string): string | null => /\.([a-z\d]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? null

/** The type without its parameters: `audio/webm;codecs=opus` is `audio/webm`. */
export const plainType = (mime: string): string => mime.split(';')[0]?.trim().toLowerCase() ?? ''

/** The extensions of a media type, the usual one first; empty for an unknown type. */
export const endingsOf = (mime: string): readonly string[] => endings[plainType(mime)] ?? []

/** The media type that a file name's extension suggests; empty when it suggests none. */
export function typeByName(name: string): string {
  const ending = endingOf(name) ?? ''
  return Object.keys(endings).find((type) => endings[type]?.includes(ending)) ?? ''
}

/** Whether a file name has the extension of an audio file. */
export const isSoundName = (name: string): boolean => typeByName(name) !== ''

/**
 * An audio file as an upload body of any size: each attempt reads it from the disk again while it is sent.
 * @throws StudioError `no_such_item` when the file is gone
 */
export async function soundFile(path: string, type: string) {
  const { size } = await stat(path).catch((cause: unknown) => {
    throw new StudioError('no_such_item', 'The file of this recording no longer exists.', {}, { cause })
  })
  // Never more bytes than were announced, even when the file grows during the read.
  const end = Math.max(0, size - 1)
  return { size, type, stream: () => createReadStream(path, { end, highWaterMark: 128 * 1024 }) }
}
