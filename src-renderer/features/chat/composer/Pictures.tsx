import { ImageOff } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Attachment } from '../../../../src-preload/contract/chat.ts'
import { mediaPath } from '../../../../src-preload/contract/media.ts'
import { showNamed } from '../../../i18n/format.ts'
import { Lightbox } from './Lightbox.tsx'

/** The pictures of a message. A click opens one at full size. Their space is reserved before they load. */
export function Pictures({
  attachments,
  size = 'normal',
}: {
  attachments: readonly Attachment[]
  size?: 'normal' | 'small'
}) {
  const { t } = useTranslation('composer')
  const [shown, setShown] = useState(-1)
  if (attachments.length === 0) return null
  return (
    <>
      <ul className="composer-pictures" aria-label={t('pictures')}>
        {attachments.map((picture, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one picture may occur twice, and the list of a message never changes
          <li key={`${picture.mediaId}${at}`}>
            <Picture picture={picture} size={size} onOpen={() => setShown(at)} />
          </li>
        ))}
      </ul>
      <Lightbox pictures={attachments} at={shown} onMove={setShown} onClose={() => setShown(-1)} />
    </>
  )
}

/** Maximum size of a picture in a message, CSS pixels. */
const bounds = { normal: { width: 240, height: 180 }, small: { width: 96, height: 72 } }

function Picture({
  picture: { mediaId, name, width, height },
  size,
  onOpen,
}: {
  picture: Attachment
  size: keyof typeof bounds
  onOpen: () => void
}) {
  const { t } = useTranslation('composer')
  const [broken, setBroken] = useState(false)
  const words = name ?? t('picture')
  const most = bounds[size]
  const share = Math.min(1, most.width / width, most.height / height)
  if (broken) {
    return (
      <span className="composer-broken">
        <ImageOff aria-hidden /> {showNamed(words, t('brokenPicture'))}
      </span>
    )
  }
  return (
    <button type="button" aria-label={t('openPicture', { name: words })} onClick={onOpen}>
      <img
        src={mediaPath(mediaId)}
        alt={words}
        width={width}
        height={height}
        style={{ width: Math.max(16, Math.round(width * share)), aspectRatio: `${width} / ${height}` }}
        loading="lazy"
        decoding="async"
        onError={() => setBroken(true)}
      />
    </button>
  )
}
