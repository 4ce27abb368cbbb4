import type { Message } from '../../../src-preload/contract/chat.ts'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import { useWords } from './words.ts'

/** The pictures that go with a message, from the media store. */
export function MessagePictures({ message }: { message: Message }) {
  const words = useWords()
  if (message.attachments.length === 0) return null
  return (
    <ul className="chat-pictures">
      {message.attachments.map((picture, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one picture may come twice, and the list of a message never changes
        <li key={`${picture.mediaId}${at}`}>
          <img
            src={mediaPath(picture.mediaId)}
            alt={picture.name ?? words('picture')}
            width={picture.width}
            height={picture.height}
            loading="lazy"
          />
        </li>
      ))}
    </ul>
  )
}
