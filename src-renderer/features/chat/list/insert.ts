/** The composer's field, wherever the stage has it. */
export const composerField = (): HTMLTextAreaElement | null =>
  document.querySelector<HTMLTextAreaElement>('.chat-composer textarea')

/** Writes into a field at its caret, in place of what is selected there, as if it had been typed: Undo takes it back, and React hears of it. */
export function insertInto(field: HTMLTextAreaElement, text: string): void {
  field.focus()
  // Deprecated, and the only way by which a field keeps its own undo.
  if (document.execCommand('insertText', false, text)) return
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
