import { draftPictures } from '../composer/draftPictures.ts'
import { draftKey } from '../draftFiles.ts'
import { draftDocuments } from './draftDocuments.ts'

/** SVG is text, and no vision model accepts it. */
const isPicture = ({ type }: File): boolean => type.startsWith('image/') && type !== 'image/svg+xml'

/**
 * Adds files of any type to a draft: pictures as images, everything else as documents. Every way for files into a chat ends here: dropped,
 * pasted and picked files, and files that the operating system opens with this program.
 */
export function addFiles(files: readonly File[], draft = draftKey()): void {
  const pictures = files.filter(isPicture)
  const documents = files.filter((file) => !isPicture(file))
  if (pictures.length > 0) draftPictures.add(pictures, draft)
  if (documents.length > 0) draftDocuments.add(documents, draft)
}
