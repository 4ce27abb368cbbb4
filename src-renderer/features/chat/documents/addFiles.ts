import { newChat, useChat } from '../../../stores/chat.ts'
import { addPictures } from '../composer/draftPictures.ts'
import { addDocuments } from './draftDocuments.ts'

/** SVG is text, and no vision model accepts it. */
const isPicture = ({ type }: File): boolean => type.startsWith('image/') && type !== 'image/svg+xml'

/**
 * Adds files of any type to a draft: pictures as images, everything else as documents. Every way for files into a chat ends here: dropped,
 * pasted and picked files, and files that the operating system opens with this program.
 */
export function addFiles(files: readonly File[], draft = useChat.getState().open?.id ?? newChat): void {
  const pictures = files.filter(isPicture)
  const documents = files.filter((file) => !isPicture(file))
  if (pictures.length > 0) addPictures(pictures, draft)
  if (documents.length > 0) addDocuments(documents, draft)
}
