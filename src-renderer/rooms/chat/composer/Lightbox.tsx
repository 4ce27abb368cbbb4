import './pictures.css'
import { ChevronLeft, ChevronRight, Download, Maximize, Minimize, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Attachment } from '../../../../src-preload/contract/chat.ts'
import { mediaPath } from '../../../../src-preload/contract/media.ts'
import { showBytes } from '../../../ui/bytes.ts'

export interface LightboxProps {
  pictures: readonly Attachment[]
  /** Which one is shown; -1: none, and the dialog is shut. */
  at: number
  onMove: (at: number) => void
  onClose: () => void
}

/** One picture over the whole window, with its real pixels on a click; arrows go to the next. The browser's own dialog, so Esc closes it. */
export function Lightbox({ pictures, at, onMove, onClose }: LightboxProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const picture = pictures[at]
  const open = picture !== undefined
  useEffect(() => {
    const dialog = ref.current
    if (open && !dialog?.open) {
      dialog?.showModal()
      dialog?.focus()
    }
    if (!open && dialog?.open) dialog.close()
  }, [open])
  return (
    <dialog
      ref={ref}
      tabIndex={-1}
      className="composer-lightbox"
      aria-label={picture?.name ?? undefined}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key === 'ArrowLeft' && at > 0) onMove(at - 1)
        if (event.key === 'ArrowRight' && at < pictures.length - 1) onMove(at + 1)
      }}
    >
      {picture && <Shown key={picture.mediaId + at} {...{ pictures, picture, at, onMove, onClose }} />}
    </dialog>
  )
}

function Shown({ pictures, picture, at, onMove, onClose }: LightboxProps & { picture: Attachment }) {
  const { t } = useTranslation('composer')
  const [real, setReal] = useState(false)
  const [broken, setBroken] = useState(false)
  const { mediaId, width, height, bytes } = picture
  const name = picture.name ?? t('picture')
  const Fit = real ? Minimize : Maximize
  return (
    <>
      <header>
        <b>{name}</b>
        <span className="num">
          {t('size', { width, height })} · {showBytes(bytes)}
          {pictures.length > 1 && ` · ${t('placeOf', { at: at + 1, count: pictures.length })}`}
        </span>
        <button
          type="button"
          aria-pressed={real}
          aria-label={t('realPixels')}
          title={t(real ? 'fit' : 'realPixels')}
          onClick={() => setReal(!real)}
        >
          <Fit aria-hidden />
        </button>
        <a href={mediaPath(mediaId)} download={name} aria-label={t('savePicture')} title={t('savePicture')}>
          <Download aria-hidden />
        </a>
        <button type="button" aria-label={t('closePicture')} title={t('closePicture')} onClick={onClose}>
          <X aria-hidden />
        </button>
      </header>
      <div className="composer-lightbox-view" data-real={real}>
        {broken ? (
          <p>{t('brokenPicture')}</p>
        ) : (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the button above does the same
          <img
            src={mediaPath(mediaId)}
            alt={name}
            width={width}
            height={height}
            onClick={() => setReal(!real)}
            onError={() => setBroken(true)}
          />
        )}
      </div>
      {pictures.length > 1 && (
        <footer>
          <button
            type="button"
            disabled={at === 0}
            aria-label={t('previous')}
            title={t('previous')}
            onClick={() => onMove(at - 1)}
          >
            <ChevronLeft aria-hidden />
          </button>
          <button
            type="button"
            disabled={at === pictures.length - 1}
            aria-label={t('next')}
            title={t('next')}
            onClick={() => onMove(at + 1)}
          >
            <ChevronRight aria-hidden />
          </button>
        </footer>
      )}
    </>
  )
}
