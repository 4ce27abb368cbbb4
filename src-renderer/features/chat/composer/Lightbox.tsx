import { joinFacts, showSize } from '../../../i18n/format.ts'
import './pictures.css'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Attachment } from '../../../../src-preload/contract/chat.ts'
import { mediaPath } from '../../../../src-preload/contract/media.ts'
import { Lightbox as Shared } from '../../../shared/ui/Lightbox.tsx'

export interface PictureLightboxProps {
  pictures: readonly Attachment[]
  /** Index of the shown picture. -1: closed. */
  at: number
  onMove: (at: number) => void
  onClose: () => void
}

/** One picture of a message over the whole window. Arrow keys show the next one. */
export function Lightbox({ pictures, at, onMove, onClose }: PictureLightboxProps) {
  const { t } = useTranslation('composer')
  const picture = pictures[at]
  const name = picture?.name ?? t('picture')
  return (
    <Shared
      className="composer-lightbox"
      picture={
        picture
          ? {
              id: `${picture.mediaId} ${at}`,
              src: mediaPath(picture.mediaId),
              preview: null,
              name,
              width: picture.width,
              height: picture.height,
            }
          : null
      }
      at={at}
      count={pictures.length}
      onGo={onMove}
      onClose={onClose}
      facts={
        picture &&
        joinFacts([
          t('size', { width: String(picture.width), height: String(picture.height) }),
          showSize(picture.bytes),
        ])
      }
      actions={
        picture && (
          <a
            href={mediaPath(picture.mediaId)}
            download={name}
            aria-label={t('savePicture')}
            title={t('savePicture')}
            className="composer-lightbox-save"
          >
            <Download aria-hidden size={16} strokeWidth={1.75} />
          </a>
        )
      }
    />
  )
}
