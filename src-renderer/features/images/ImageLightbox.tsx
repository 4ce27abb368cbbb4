import { Copy, Download, GitBranch, Info, MessageSquare, Star, StarOff, Trash2 } from 'lucide-react'
import { type KeyboardEvent, useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Image } from '../../../src-preload/contract/images.ts'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import { joinFacts, showSize } from '../../i18n/format.ts'
import { navigate } from '../../shared/navigation.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Lightbox } from '../../shared/ui/Lightbox.tsx'
import { MenuItem } from '../../shared/ui/Menu.tsx'
import { imagesStore, useImages, withCursor } from '../../stores/images.ts'
import { useRoute } from '../../stores/route.ts'
import {
  closeLightbox,
  copyImage,
  focusGallery,
  openLightbox,
  remove,
  reuse,
  saveImages,
  showToChat,
  toggleFavourite,
} from './actions.ts'
import { attempt } from './client.ts'
import { Details } from './Details.tsx'
import { UndoNote } from './UndoNote.tsx'

/** Whether the next lightbox starts as a slideshow. */
let nextPlays = false
export function startSlideshow(): void {
  const { images, cursor } = imagesStore.getState()
  const first = images.find(({ id }) => id === cursor) ?? images[0]
  if (!first) return
  nextPlays = true
  navigate({ page: 'images', id: first.id })
}

/** Shows the image of the address over the whole window. Because of the address, reload and the back button work. */
export function ImageLightbox() {
  const { page, id } = useRoute()
  const images = useImages((store) => store.images)
  const settled = useImages((store) => store.found !== 'loading')
  const [side, setSide] = useState(false)
  const at = page === 'images' && id !== null ? images.findIndex((image) => image.id === id) : -1
  const other = useOther(page === 'images' && at < 0 && settled ? id : null)
  const image = images[at] ?? other
  const go = useCallback((to: number) => {
    const next = imagesStore.getState().images[to]
    if (!next) return
    imagesStore.setState(withCursor(next.id))
    navigate({ page: 'images', id: next.id }, { replace: true })
  }, [])
  useEffect(() => {
    if (image) imagesStore.setState((state) => (state.cursor === image.id ? state : withCursor(image.id)))
  }, [image])
  const startsPlaying = nextPlays
  if (image) nextPlays = false
  return (
    <Lightbox
      picture={
        image && {
          id: image.id,
          src: mediaPath(image.mediaId),
          preview: image.thumbId && mediaPath(image.thumbId),
          name: image.prompt,
          width: image.width,
          height: image.height,
        }
      }
      at={Math.max(0, at)}
      count={at < 0 ? 1 : images.length}
      playing={startsPlaying}
      onGo={go}
      onClose={() => {
        closeLightbox()
        focusGallery()
      }}
      facts={image && <Facts image={image} />}
      actions={image && <Actions image={image} at={at} />}
      menu={image && <MoreActions image={image} side={side} onSide={() => setSide(!side)} />}
      side={
        side &&
        image && (
          <aside className="images-light-side">
            <Details image={image} />
          </aside>
        )
      }
      note={<UndoNote />}
      onKey={(event) => image !== null && byKey(event, image, at, () => setSide(!side))}
    />
  )
}

/** Loads an image that the gallery does not show, for example a relative during a search. */
function useOther(id: string | null): Image | null {
  const [other, setOther] = useState<Image | null>(null)
  useEffect(() => {
    if (id === null) return setOther(null)
    let wanted = true
    void attempt((core) => core.images.get({ id })).then((found) => {
      if (!wanted) return
      if (found) setOther(found.image)
      else closeLightbox()
    })
    return () => {
      wanted = false
    }
  }, [id])
  return other?.id === id ? other : null
}

function Facts({ image: { width, height, bytes } }: { image: Image }) {
  const { t } = useTranslation('composer')
  return joinFacts([t('size', { width: String(width), height: String(height) }), showSize(bytes)])
}

/** Deletes the image. First shows the next image, or the gallery after the last one, because reading a deleted image would fail. */
async function removeHere(image: Image, at: number): Promise<void> {
  const { images } = imagesStore.getState()
  const next = images[at + 1] ?? images[at - 1]
  if (next && at >= 0) openLightbox(next.id)
  else closeLightbox()
  await remove([image])
  // The deletion failed: shows the image again.
  if (imagesStore.getState().images.some(({ id }) => id === image.id)) openLightbox(image.id)
}

function byKey(event: KeyboardEvent, image: Image, at: number, onSide: () => void): boolean {
  const key = event.key.toLowerCase()
  if (event.shiftKey) return false
  if (key === 'f') void toggleFavourite([image])
  else if (key === 'i') onSide()
  else if (key === 'delete' || key === 'backspace') void removeHere(image, at)
  else return false
  return true
}

function Actions({ image, at }: { image: Image; at: number }) {
  const { t } = useTranslation('images')
  return (
    <>
      <Button icon={Download} onClick={() => void saveImages([image])}>
        {t('actions.download')}
      </Button>
      <Button icon={MessageSquare} onClick={() => void showToChat(image)}>
        {t('actions.chat')}
      </Button>
      <Button icon={Trash2} variant="danger" onClick={() => void removeHere(image, at)}>
        {t('actions.remove')}
      </Button>
    </>
  )
}

function MoreActions({ image, side, onSide }: { image: Image; side: boolean; onSide: () => void }) {
  const { t } = useTranslation('images')
  const vary = (): void => {
    closeLightbox()
    void reuse(image, { vary: true })
  }
  return (
    <>
      <MenuItem
        icon={image.favourite ? StarOff : Star}
        label={t(image.favourite ? 'actions.unfavourite' : 'actions.favourite')}
        onSelect={() => void toggleFavourite([image])}
      />
      <MenuItem icon={Copy} label={t('actions.copyImage')} onSelect={() => void copyImage(image)} />
      <MenuItem icon={GitBranch} label={t('actions.vary')} onSelect={vary} />
      <MenuItem icon={Info} label={t(side ? 'actions.hideDetails' : 'actions.details')} onSelect={onSide} />
    </>
  )
}
