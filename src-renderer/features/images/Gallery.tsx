import './gallery.css'
import { ImageOff, Maximize2, Star } from 'lucide-react'
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import type { Image } from '../../../src-preload/contract/images.ts'
import { asSentence, joinSentences, showInstant } from '../../i18n/format.ts'
import { MadeBy } from '../../shared/ui/MadeBy.tsx'
import { imagesStore, isNarrowed, useImages, withCursor, withRange, withToggled } from '../../stores/images.ts'
import { dragOut, openLightbox } from './actions.ts'
import { galleryKey } from './galleryKeys.ts'
import { groupsOf, placeholdersOf } from './groups.ts'
import { gap, headingHeight, inSight, layOut, leftOf, type Masonry } from './masonry.ts'
import { srcOf, wantThumbs } from './thumbs.ts'

/** Step of the rendered range, px. Because of the steps, most wheel events render nothing. */
const stepHeight = 200
/** px rendered above and below the view. */
const ahead = 500

/**
 * All matching images, grouped by prompt, and places for those that are being generated. Only images near the view are in the document: sizes
 * of the others are known.
 */
export function Gallery({ box }: { box: RefObject<HTMLDivElement | null> }) {
  const { t } = useTranslation('images')
  const images = useImages((store) => store.images)
  const cursor = useImages((store) => store.cursor)
  const picked = useImages((store) => store.picked)
  const noThumb = useImages((store) => store.noThumb)
  const grid = useRef<HTMLDivElement>(null)
  const width = useWidth(grid)
  const drawings = useImages((store) => store.drawings)
  const narrowed = useImages(isNarrowed)
  const waiting = useMemo(() => (narrowed ? [] : placeholdersOf(drawings, images)), [drawings, images, narrowed])
  const masonry = useMemo(
    () => layOut([...images, ...waiting], width, groupsOf(images, waiting)),
    [images, waiting, width],
  )
  const { from, to } = useBand(box, grid)
  useKeptPlace(box, grid, images, masonry)
  useCursorInSight(box, grid, images, masonry, cursor)
  const seen = useMemo(() => inSight(masonry, from, to), [masonry, from, to])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a finished thumbnail allows the next one to start
  useEffect(() => wantThumbs(seen.flatMap((at) => images[at] ?? [])), [seen, images, noThumb])

  const byKey = (event: KeyboardEvent): void => {
    if (galleryKey(event, masonry, box.current?.clientHeight ?? 0)) event.preventDefault()
  }
  const byMouse = (event: MouseEvent<HTMLElement>): void => {
    const id = idAt(event.target)
    if (id === null) return
    const state = imagesStore.getState()
    const marks = event.ctrlKey || event.metaKey || isAction(event.target, 'pick')
    if (event.shiftKey) imagesStore.setState(withRange(state, id, marks))
    else if (marks) imagesStore.setState(withToggled(state, id))
    // With a selection, a click extends it, as on a phone.
    else if (state.picked.size > 0 && !isAction(event.target, 'open')) imagesStore.setState(withToggled(state, id))
    else openLightbox(id)
  }
  return (
    <div
      ref={grid}
      role="listbox"
      aria-label={t('gallery.label')}
      aria-description={t('gallery.hint')}
      aria-multiselectable
      aria-activedescendant={cursor === null ? undefined : cardId(cursor)}
      tabIndex={0}
      className="images-gallery"
      style={{ height: masonry.height }}
      onKeyDown={byKey}
      onClick={byMouse}
      onFocus={() => {
        const { cursor: now, images: all } = imagesStore.getState()
        if (now === null && all[0]) imagesStore.setState(withCursor(all[0].id))
      }}
      onDragStart={(event) => {
        const image = images.find(({ id }) => id === idAt(event.target))
        if (image) dragOut(event.nativeEvent, image)
      }}
    >
      {width > 0 &&
        [...new Set(seen.map((at) => masonry.group[at] ?? 0))].map((index) => {
          const { members = [], column = 0, span = 1, top = 0 } = masonry.groups[index] ?? {}
          const [at = 0] = members
          const prompt = images[at]?.prompt ?? waiting[at - images.length]?.prompt ?? ''
          return (
            // Hidden from screen readers, because the name of each image begins with its prompt.
            <div
              key={`group ${images[at]?.id ?? waiting[at - images.length]?.key}`}
              aria-hidden
              dir="auto"
              title={prompt}
              className="images-group-title"
              style={{
                insetInlineStart: column * (masonry.columnWidth + gap),
                top,
                width: span * (masonry.columnWidth + gap) - gap,
                height: headingHeight,
              }}
            >
              {prompt || t('gallery.untitled')}
            </div>
          )
        })}
      {width > 0 &&
        seen.map((at) => {
          const place = waiting[at - images.length]
          return (
            place && (
              <span
                key={place.key}
                aria-hidden
                className="images-card images-card-place"
                style={{
                  insetInlineStart: leftOf(masonry, at),
                  top: masonry.top[at] ?? 0,
                  width: masonry.columnWidth,
                  height: masonry.tall[at] ?? 0,
                }}
              />
            )
          )
        })}
      {width > 0 &&
        withCursorKept(seen, images, cursor).map((at) => {
          const image = images[at]
          return (
            image && (
              <Card
                key={image.id}
                image={image}
                src={srcOf(image, noThumb)}
                left={leftOf(masonry, at)}
                top={masonry.top[at] ?? 0}
                width={masonry.columnWidth}
                height={masonry.tall[at] ?? 0}
                place={at + 1}
                count={images.length}
                current={image.id === cursor}
                picked={picked.has(image.id)}
                choosing={picked.size > 0}
              />
            )
          )
        })}
    </div>
  )
}

const cardId = (id: string): string => `picture-${id}`
const idAt = (target: EventTarget): string | null =>
  target instanceof Element ? (target.closest<HTMLElement>('[data-picture]')?.dataset.picture ?? null) : null
const isAction = (target: EventTarget, action: string): boolean =>
  target instanceof Element && target.closest(`[data-action="${action}"]`) !== null

/** The image at the cursor stays in the document, because screen readers refer to its element. */
function withCursorKept(seen: readonly number[], images: readonly Image[], cursor: string | null): readonly number[] {
  const at = cursor === null ? -1 : images.findIndex(({ id }) => id === cursor)
  return at < 0 || seen.includes(at) ? seen : [...seen, at].sort((a, b) => a - b)
}

interface CardProps {
  image: Image
  src: string | null
  left: number
  top: number
  width: number
  height: number
  place: number
  count: number
  current: boolean
  picked: boolean
  choosing: boolean
}

const Card = memo(function Card(props: CardProps) {
  const { t } = useTranslation(['images', 'common'])
  const { image, src, left, top, width, height, current, picked, choosing } = props
  const [broken, setBroken] = useState<string | null>(null)
  const prompt = image.prompt || t('gallery.untitled')
  const facts = t('gallery.name', {
    prompt,
    width: String(image.width),
    height: String(image.height),
    date: showInstant(image.createdAt),
  })
  const further = [
    image.app === undefined ? '' : t('common:madeBy', { app: image.app }),
    image.favourite ? t('gallery.favourite') : '',
  ]
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and refers to the current option
    <div
      id={cardId(image.id)}
      role="option"
      aria-label={joinSentences([facts, ...further].filter(Boolean).map(asSentence))}
      aria-selected={picked}
      aria-posinset={props.place}
      aria-setsize={props.count}
      data-picture={image.id}
      data-current={current}
      data-favourite={image.favourite}
      data-choosing={choosing}
      draggable
      className="images-card"
      style={{ insetInlineStart: left, top, width, height }}
    >
      {src !== null && broken === src ? (
        <ImageOff aria-hidden size={22} className="images-card-broken" />
      ) : src === null ? (
        <span aria-hidden className="images-card-wait" />
      ) : (
        <img src={src} alt="" draggable={false} decoding="async" onError={() => setBroken(src)} />
      )}
      <span aria-hidden className="images-card-words" dir="auto">
        {prompt}
      </span>
      <span aria-hidden className="images-card-pick" data-action="pick" />
      <span aria-hidden className="images-card-open" data-action="open">
        <Maximize2 size={14} />
      </span>
      {image.favourite && <Star aria-hidden size={14} className="images-card-star" />}
      <MadeBy app={image.app} className="images-card-app" />
    </div>
  )
})

function useWidth(grid: RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = grid.current
    if (!element) return
    const read = (): void => setWidth(element.clientWidth)
    read()
    const sizes = new ResizeObserver(read)
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [grid])
  return width
}

/** The rendered part of the gallery, in whole steps of `stepHeight`, so that it changes rarely. */
function useBand(box: RefObject<HTMLDivElement | null>, grid: RefObject<HTMLDivElement | null>) {
  const [band, setBand] = useState({ from: -ahead, to: 2_000 })
  useLayoutEffect(() => {
    const stage = box.current
    const element = grid.current
    if (!stage || !element) return
    // Reads the position when an element above the gallery changes its size, never while scrolling, because reading forces a layout.
    let start = element.offsetTop
    let tall = stage.clientHeight
    const look = (): void => {
      const top = stage.scrollTop - start
      const from = Math.floor(top / stepHeight) * stepHeight - ahead
      const to = Math.ceil((top + tall) / stepHeight) * stepHeight + ahead
      setBand((now) => (now.from === from && now.to === to ? now : { from, to }))
    }
    const measure = (): void => {
      start = element.offsetTop
      tall = stage.clientHeight
      look()
    }
    measure()
    const sizes = new ResizeObserver(measure)
    sizes.observe(stage)
    for (const child of stage.children) sizes.observe(child)
    stage.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      stage.removeEventListener('scroll', look)
    }
  }, [box, grid])
  return band
}

/** When new images appear at the top, keeps the image at the upper edge in place for a reader further down. */
function useKeptPlace(
  box: RefObject<HTMLDivElement | null>,
  grid: RefObject<HTMLDivElement | null>,
  images: readonly Image[],
  masonry: Masonry,
): void {
  const before = useRef({ images, masonry })
  useLayoutEffect(() => {
    const was = before.current
    before.current = { images, masonry }
    const stage = box.current
    const start = grid.current?.offsetTop ?? 0
    const moved = was.masonry !== masonry && was.masonry.columnWidth === masonry.columnWidth
    if (!stage || !moved || stage.scrollTop <= start) return
    const edge = stage.scrollTop - start
    const [first] = inSight(was.masonry, edge, edge)
    const known = first === undefined ? undefined : was.images[first]
    if (first === undefined || !known) return
    // Most changes replace one image without moving others.
    const now = images[first]?.id === known.id ? first : images.findIndex(({ id }) => id === known.id)
    if (now >= 0) stage.scrollTop += (masonry.top[now] ?? 0) - (was.masonry.top[first] ?? 0)
  }, [box, grid, images, masonry])
}

/** Scrolls to the image that the keyboard, the list or the lightbox selected. */
function useCursorInSight(
  box: RefObject<HTMLDivElement | null>,
  grid: RefObject<HTMLDivElement | null>,
  images: readonly Image[],
  masonry: Masonry,
  cursor: string | null,
): void {
  const latest = useRef({ images, masonry })
  latest.current = { images, masonry }
  const bring = useCallback(() => {
    const stage = box.current
    if (!stage || cursor === null) return
    const at = latest.current.images.findIndex(({ id }) => id === cursor)
    if (at < 0) return
    const start = grid.current?.offsetTop ?? 0
    const top = start + (latest.current.masonry.top[at] ?? 0) - headingHeight - 8
    const bottom = top + headingHeight + (latest.current.masonry.tall[at] ?? 0) + 20
    if (top < stage.scrollTop) stage.scrollTop = top
    else if (bottom > stage.scrollTop + stage.clientHeight) stage.scrollTop = bottom - stage.clientHeight
  }, [box, grid, cursor])
  useLayoutEffect(bring, [bring])
}
