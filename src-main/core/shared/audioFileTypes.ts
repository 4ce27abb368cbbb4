import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { StudioError } from '../errors.ts'

/** What files of a type are called, the usual ending first. */
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

/** The ending of a name, in small letters; null where it has none. */
export const endingOf = (name: string): string | null => /\.([a-z\d]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? null

/** The type without its parameters: `audio/webm;codecs=opus` is `audio/webm`. */
export const plainType = (mime: string): string => mime.split(';')[0]?.trim().toLowerCase() ?? ''

/** The endings of a type's files, the usual one first; none for a type that is not known. */
export const endingsOf = (mime: string): readonly string[] => endings[plainType(mime)] ?? []

/** What the ending of a file's name says of its type; empty where it says nothing. */
export function typeByName(name: string): string {
  const ending = endingOf(name) ?? ''
  return Object.keys(endings).find((type) => endings[type]?.includes(ending)) ?? ''
}

/** Whether a name ends as files of sound do. */
export const isSoundName = (name: string): boolean => typeByName(name) !== ''

/**
 * A file of sound as it goes up: read from the disk while it is sent, anew for each attempt, whatever its size.
 * @throws StudioError `no_such_item`
 */
export async function soundFile(path: string, type: string) {
  const { size } = await stat(path).catch((cause: unknown) => {
    throw new StudioError('no_such_item', 'The file of this recording is not there any more.', {}, { cause })
  })
  // To the byte that was announced, whatever becomes of the file meanwhile.
  const end = Math.max(0, size - 1)
  return { size, type, stream: () => createReadStream(path, { end, highWaterMark: 128 * 1024 }) }
}
