/** A variable of a prompt, in the order of its first use in the text. */
export interface Variable {
  name: string
  /** The first default value in the text. */
  value: string
}

/** `{{name}}` or `{{name=default}}`. A name has no braces, no `=` and no line break. Other text in braces is literal. */
const place = /\{\{([^{}=\n]+)(?:=([^{}]*))?\}\}/g

export function variablesOf(text: string): Variable[] {
  const found = new Map<string, Variable>()
  for (const [, given = '', value] of text.matchAll(place)) {
    const name = given.trim()
    if (name === '') continue
    const known = found.get(name)
    if (!known) found.set(name, { name, value: value ?? '' })
    else if (known.value === '' && value) known.value = value
  }
  return [...found.values()]
}

/** Splits the text into literal and inserted pieces. */
export function filledPieces(
  text: string,
  values: Readonly<Record<string, string>>,
): { text: string; filled: boolean }[] {
  const pieces: { text: string; filled: boolean }[] = []
  let from = 0
  for (const match of text.matchAll(place)) {
    const name = (match[1] ?? '').trim()
    if (name === '') continue
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), filled: false })
    pieces.push({ text: values[name] ?? '', filled: true })
    from = match.index + match[0].length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), filled: false })
  return pieces
}

/** Inserted values are literal: braces in them are not replaced again. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  filledPieces(text, values)
    .map((piece) => piece.text)
    .join('')
