import type { InputHTMLAttributes, Ref } from 'react'

interface FileInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'hidden' | 'onChange'> {
  ref: Ref<HTMLInputElement>
  onFiles: (files: File[]) => void
}

/** A hidden input that selects files from the disk. A visible button clicks it through its `ref`. */
export function FileInput({ onFiles, ...props }: FileInputProps) {
  return (
    <input
      {...props}
      type="file"
      hidden
      onChange={({ target }) => {
        onFiles([...(target.files ?? [])])
        // Without this, selecting the same file again would fire no event.
        target.value = ''
      }}
    />
  )
}
