import { addFiles } from './files.ts'

/** Opens the system's own dialog. Everything may be chosen: the service decides what it takes. */
export function chooseFiles(): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.addEventListener('change', () => addFiles([...(input.files ?? [])]))
  input.click()
}
