// Texts of other people's files are sent between tags, which these texts must not be able to end.

/** A tag name that does not occur in the text: `name`, or with a number when the text itself has an end tag of this name. */
export function freeTag(name: string, body: string): string {
  if (!new RegExp(`<\\s*/\\s*${name}`, 'i').test(body)) return name
  // A body that contains many numbered names would be searched once for each.
  const taken = new Set(
    Array.from(body.matchAll(new RegExp(`${name}-(\\d{1,15})`, 'gi')), ([, digits]) => Number(digits)),
  )
  let number = 2
  while (taken.has(number)) number += 1
  return `${name}-${number}`
}

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A name as the value of an attribute in double quotes. */
export const attributeText = (name: string): string =>
  oneLine(name).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
