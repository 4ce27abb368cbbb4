import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Image } from '../../../src-preload/contract/images.ts'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import type { Client } from '../../api/connect.ts'
import { asSentence, joinSentences } from '../../i18n/format.ts'
import { InspectorSection } from '../../shared/ui/InspectorSection.tsx'
import { imagesStore, withCursor } from '../../stores/images.ts'
import { routeStore } from '../../stores/route.ts'
import { openLightbox } from './actions.ts'
import { family, type Kin } from './family.ts'

type ImageDetail = Awaited<ReturnType<Client['images']['get']>>['lineage']

/** Opens an image in the current view: lightbox or gallery. */
function goTo(image: Image): void {
  if (routeStore.getState().route.id !== null) openLightbox(image.id)
  else imagesStore.setState(withCursor(image.id))
}

const treeKeys = new Set(['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End'])

/** The target of a tree key: down and up the rows, left to the parent, right to the first child. */
function kinFor(key: string, kin: readonly Kin[], from: Kin | undefined): Kin | undefined {
  const at = kin.findIndex(({ drawing }) => drawing.id === from?.drawing.id)
  const next = kin[at + 1]
  if (key === 'ArrowDown') return next
  if (key === 'ArrowUp') return kin[at - 1]
  if (key === 'ArrowLeft') return kin.find(({ drawing }) => drawing.id === from?.parentId)
  if (key === 'ArrowRight') return next?.parentId === from?.drawing.id ? next : undefined
  return key === 'Home' ? kin[0] : kin.at(-1)
}

/** The prompts that led to this one, and those derived from it. */
export function Lineage(props: { lineage: ImageDetail; imageId: string; drawingId: string }) {
  const { t } = useTranslation('images')
  const { lineage, imageId, drawingId } = props
  const kin = useMemo(() => family(lineage), [lineage])
  const [at, setAt] = useState<string | null>(null)
  const tree = useRef<HTMLDivElement>(null)
  if (kin.length < 2) return null
  const reached = kin.find(({ drawing }) => drawing.id === at) ?? kin.find(({ drawing }) => drawing.id === drawingId)
  const walk = (to: Kin | undefined): void => {
    if (!to) return
    setAt(to.drawing.id)
    tree.current?.querySelector<HTMLElement>(`[data-kin="${to.drawing.id}"]`)?.focus()
  }
  const byKey = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const [first] = reached?.images ?? []
    if ((event.key === 'Enter' || event.key === ' ') && first) goTo(first)
    else if (treeKeys.has(event.key)) walk(kinFor(event.key, kin, reached))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <InspectorSection title={t('lineage.title')}>
      <div
        ref={tree}
        role="tree"
        aria-label={t('lineage.title')}
        aria-description={t('lineage.about')}
        className="images-tree"
        onKeyDown={byKey}
      >
        {kin.map(({ drawing, images, level, place, siblings }) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of all items
          <div
            key={drawing.id}
            role="treeitem"
            tabIndex={drawing.id === reached?.drawing.id ? 0 : -1}
            data-kin={drawing.id}
            aria-level={level}
            aria-posinset={place}
            aria-setsize={siblings}
            aria-current={drawing.id === drawingId ? 'true' : undefined}
            aria-label={joinSentences([
              asSentence(drawing.prompt.slice(0, 160)),
              t('lineage.pictures', { count: images.length }),
            ])}
            className="images-kin"
            style={{ marginInlineStart: Math.min(level - 1, 6) * 12 }}
            onClick={(event) => {
              const id = event.target instanceof Element ? event.target.getAttribute('data-kin-image') : null
              const image = images.find((one) => one.id === id) ?? images[0]
              if (image) goTo(image)
            }}
          >
            <span dir="auto">{drawing.prompt}</span>
            <span className="images-kin-row">
              {images.map((image) => (
                <img
                  key={image.id}
                  data-kin-image={image.id}
                  data-here={image.id === imageId}
                  src={mediaPath(image.thumbId ?? image.mediaId)}
                  alt=""
                  draggable={false}
                  loading="lazy"
                />
              ))}
            </span>
          </div>
        ))}
      </div>
    </InspectorSection>
  )
}
