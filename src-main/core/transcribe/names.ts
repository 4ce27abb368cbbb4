/** What files of a type are called, the usual ending first. */
const endings: Record<string, readonly string[]> = {
  'audio/webm': ['webm', 'weba'],
  'audio/ogg': ['ogg', 'oga', 'opus'],
  'audio/mp4': ['m4a', 'mp4', 'm4b', 'm4v', 'mov', '3gp'],
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

const endingOf = (name: string): string | null => /\.([a-z\d]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? null

/** The type without its parameters: `audio/webm;codecs=opus` is `audio/webm`. */
export const plainType = (mime: string): string => mime.split(';')[0]?.trim().toLowerCase() ?? ''

/** What the ending of a file's name says of its type; nothing where it says nothing. */
export function typeByName(name: string): string {
  const ending = endingOf(name) ?? ''
  return Object.keys(endings).find((type) => endings[type]?.includes(ending)) ?? ''
}

/**
 * The name under which a file goes up: services tell types by the ending, which a person may have changed. `original` is what it came as.
 */
export function uploadName(name: string, mime: string, original: string | null): string {
  const ending = endingOf(name)
  const before = endingOf(original ?? '')
  const fitting = endings[plainType(mime)] ?? []
  if (ending !== null && (ending === before || fitting.includes(ending))) return name
  const wanted = before ?? fitting[0]
  return wanted === undefined ? name : `${name}.${wanted}`
}

/** A name for a saved file, without what file systems do not take. */
export function saveName(name: string, ending: string): string {
  const known = endingOf(name)
  const stem = known !== null && (known === ending || isSound(known)) ? name.slice(0, -known.length - 1) : name
  const safe = stem
    .replace(/[\\/:*?"<>|\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/^\.+/, '')
  return `${safe === '' ? 'Transcript' : safe.slice(0, 150)}.${ending}`
}

const isSound = (ending: string): boolean => Object.values(endings).some((all) => all.includes(ending))

export const soundEnding = (name: string, mime: string): string =>
  endingOf(uploadName(name, mime, null)) ?? endings[plainType(mime)]?.[0] ?? 'bin'
