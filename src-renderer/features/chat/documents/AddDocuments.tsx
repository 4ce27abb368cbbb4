import type { RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import { addFiles } from './addFiles.ts'

/** The hidden input that selects documents from the disk. It accepts every file, because text files have any ending. */
export function AddDocuments({ input }: { input: RefObject<HTMLInputElement | null> }) {
  const { t } = useTranslation('documents')
  return (
    <input
      ref={input}
      type="file"
      multiple
      hidden
      data-documents
      aria-label={t('add')}
      onChange={(event) => {
        addFiles([...(event.target.files ?? [])])
        // Without this, selecting a removed file again would fire no event.
        event.target.value = ''
      }}
    />
  )
}
