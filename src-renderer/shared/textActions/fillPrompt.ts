/**
 * The text that is sent: the prompt with the selected text and the language in their places. Braces in the selected text stay as they are.
 * A prompt without `{{selection}}` gets the text at its end.
 * @param language its English name, such as `German`
 */
export function fillPrompt(prompt: string, { selection, language }: { selection: string; language: string }): string {
  let isPlaced = false
  // One pass with a function: neither `$&` nor `{{language}}` in the selected text has a meaning.
  const filled = prompt.replace(/\{\{\s*(selection|language)\s*\}\}/g, (_, name: string) => {
    if (name === 'language') return language
    isPlaced = true
    return selection
  })
  return isPlaced ? filled : `${filled.trimEnd()}\n\n${selection}`
}

/** English name of a language tag. A tag without a name is its own name. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
