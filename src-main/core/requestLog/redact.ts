/** Removes our own app keys, wherever an app put one by mistake: in a path, a model's name, a header. */
export function withoutLocalKeys(text: string): string {
  return text.includes('isk_') ? text.replace(/isk_[\w-]{8,}/g, 'isk_…') : text
}

/** Cuts after `most` UTF-16 units, never inside a character. */
function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most - 1)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}

/** Cleans a text from outside for a row. */
export const tidy = (text: string, most: number): string => shorten(withoutLocalKeys(text), most)
