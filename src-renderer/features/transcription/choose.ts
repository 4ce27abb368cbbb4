import { addFiles } from './files.ts'

/** Opens the system's file dialog. All files can be selected, because the service decides which types it accepts. */
export function chooseFiles(): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.addEventListener('change', () => addFiles([...(input.files ?? [])]))
  input.click()
}
