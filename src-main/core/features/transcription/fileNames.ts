import { endingOf, endingsOf, isSoundName } from '../../shared/audioFileTypes.ts'
import { fileStem } from '../../shared/fileName.ts'

/**
 * The name under which a file goes up: services tell types by the ending, which a person may have changed. `original` is what it came as.
 */
export function uploadName(name: string, mime: string, original: string | null): string {
  const ending = endingOf(name)
  const before = endingOf(original ?? '')
  const fitting = endingsOf(mime)
  if (ending !== null && (ending === before || fitting.includes(ending))) return name
  const wanted = before ?? fitting[0]
  return wanted === undefined ? name : `${name}.${wanted}`
}

/** A name for a saved file. The ending of a sound's name goes: the file is another one. */
export function saveName(name: string, ending: string): string {
  const known = endingOf(name) ?? ''
  const stem = known === ending || isSoundName(name) ? name.slice(0, -known.length - 1) : name
  return `${fileStem(stem, 120, 'Transcript')}.${ending}`
}

/** The ending of a sound that is called so and is of this type. */
export const soundEnding = (name: string, mime: string): string =>
  endingOf(uploadName(name, mime, null)) ?? endingsOf(mime)[0] ?? 'bin'
