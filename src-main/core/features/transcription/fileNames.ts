import { endingOf, endingsOf, isSoundName } from '../../shared/audioFileTypes.ts'
import { fileStem } from '../../shared/fileName.ts'

/**
 * The file name for an upload. Services recognise types by the extension, which a person may have changed. `original` is the name of the
 * imported file.
 */
export function uploadName(name: string, mime: string, original: string | null): string {
  const ending = endingOf(name)
  const before = endingOf(original ?? '')
  const fitting = endingsOf(mime)
  if (ending !== null && (ending === before || fitting.includes(ending))) return name
  const wanted = before ?? fitting[0]
  return wanted === undefined ? name : `${name}.${wanted}`
}

/** The file name for a saved transcript. Replaces the extension of the audio. */
export function saveName(name: string, ending: string): string {
  const known = endingOf(name) ?? ''
  const stem = known === ending || isSoundName(name) ? name.slice(0, -known.length - 1) : name
  return `${fileStem(stem, 120, 'Transcript')}.${ending}`
}

/** The file extension of audio, from its name and type. */
export const soundEnding = (name: string, mime: string): string =>
  endingOf(uploadName(name, mime, null)) ?? endingsOf(mime)[0] ?? 'bin'
