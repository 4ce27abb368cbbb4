/** The composer's field. */
export const composerField = (): HTMLTextAreaElement | null =>
  document.querySelector<HTMLTextAreaElement>('.chat-composer textarea')

/** Inserts text at a field's caret, replacing the selection, as if typed: the field's undo works, and React gets an event. */
export function insertInto(field: HTMLTextAreaElement, text: string): void {
  field.focus()
  // Deprecated, but the only way that preserves the field's undo history.
  if (document.execCommand('insertText', false, text)) return
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
