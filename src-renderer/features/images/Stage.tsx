import './images.css'
import { Download, Images as ImagesIcon, Play, SearchX, Sparkles, Star, Trash2, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { showCount } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'
import { Skeleton } from '../../shared/ui/Skeleton.tsx'
import { StageBar } from '../../shared/ui/StageBar.tsx'
import { StatusText } from '../../shared/ui/StatusText.tsx'
import { imagesStore, isMaking, isNarrowed, targets, useImages } from '../../stores/images.ts'
import { useRoute } from '../../stores/route.ts'
import { focusPrompt, remove, saveImages, toggleFavourite } from './actions.ts'
import { Composer } from './Composer.tsx'
import { Gallery } from './Gallery.tsx'
import { ImageDetails } from './ImageDetails.tsx'
import { ImageLightbox, startSlideshow } from './ImageLightbox.tsx'
import { find, searchFor, setDraft, showFavourites, startImages } from './subscriptions.ts'
import { UndoNote } from './UndoNote.tsx'

export function ImagesStage() {
  const studio = useStudio()
  useEffect(() => startImages(studio), [studio])
  // Focuses the prompt, unless the address names an image.
  const { id } = useRoute()
  const openedWith = useRef(id)
  useEffect(() => {
    if (openedWith.current === null) focusPrompt()
  }, [])
  return (
    <div className="images-stage">
      <Bar />
      <Body />
      <div className="images-foot">
        <PickedBar />
        <UndoNote />
      </div>
      <Composer />
      <ImageLightbox />
    </div>
  )
}

function Bar() {
  const { t } = useTranslation('images')
  const total = useImages((store) => store.total)
  const shown = useImages((store) => store.images.length)
  const search = useImages((store) => store.search)
  const favourites = useImages((store) => store.favourites)
  const narrowed = search.trim() !== '' || favourites
  const words = narrowed
    ? t('found', { count: shown, figure: showCount(shown), total: showCount(total) })
    : t('count', { count: total, figure: showCount(total) })
  return (
    <StageBar
      title={t('title')}
      beside={
        <span role="status" className="num min-w-0 truncate text-faint text-s">
          {total > 0 && words}
        </span>
      }
      actions={
        total > 0 && (
          <>
            {search !== '' && shown > 0 && (
              <IconButton icon={X} label={t('nothing.action')} onClick={() => searchFor('')} />
            )}
            <IconButton
              icon={Star}
              label={t('favouritesOnly')}
              pressed={favourites}
              className={favourites ? 'images-starred' : ''}
              onClick={() => showFavourites(!favourites)}
            />
            <IconButton icon={Play} label={t('slideshow')} disabled={shown === 0} onClick={startSlideshow} />
          </>
        )
      }
    />
  )
}

function Body() {
  const box = useRef<HTMLDivElement>(null)
  const state = useImages((store) => store.state)
  const problem = useImages((store) => store.problem ?? store.foundProblem)
  const found = useImages((store) => store.found)
  // A running drawing has places for its images.
  const some = useImages((store) => store.images.length > 0 || (!isNarrowed(store) && store.drawings.some(isMaking)))
  const any = useImages((store) => store.total > 0 || store.drawings.length > 0)
  const loading = !some && (state === 'loading' || found === 'loading')
  return (
    <div ref={box} className="images-scroll">
      {problem && <ProblemNotice problem={problem} on={{ retry: () => void find() }} className="mb-3" />}
      <ImageDetails running={false} />
      {some ? <Gallery box={box} /> : loading ? <Loading /> : problem ? null : any ? <NothingFound /> : <Teaching />}
    </div>
  )
}

function Teaching() {
  const { t } = useTranslation('images')
  const tryExample = (): void => {
    setDraft({ prompt: t('empty.example') })
    focusPrompt()
  }
  return (
    <EmptyState
      icon={ImagesIcon}
      title={t('empty.title')}
      action={
        <Button icon={Sparkles} onClick={tryExample}>
          {t('empty.try')}
        </Button>
      }
    >
      <p>{t('empty.about')}</p>
    </EmptyState>
  )
}

/** Placeholders with the size of the gallery, so that nothing moves when the images arrive. */
function Loading() {
  const { t } = useTranslation('images')
  return (
    // The columns of `columnsFor`, with space for a heading above each row.
    <div className="grid grid-cols-[repeat(auto-fill,minmax(clamp(170px,20%,260px),1fr))] gap-x-2 gap-y-10 pt-[26px]">
      <StatusText>{t('loading')}</StatusText>
      {Array.from({ length: 12 }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <Skeleton key={at} className="aspect-square h-auto rounded-m" />
      ))}
    </div>
  )
}

function NothingFound() {
  const { t } = useTranslation('images')
  const search = useImages((store) => store.search.trim())
  const favourites = useImages((store) => store.favourites)
  if (search === '' && !favourites) return null
  const words = search === '' ? 'nothing.favourites' : favourites ? 'nothing.both' : 'nothing.text'
  return (
    <EmptyState
      icon={SearchX}
      title={t('nothing.title')}
      action={
        <Button
          onClick={() => {
            imagesStore.setState({ favourites: false })
            searchFor('')
          }}
        >
          {t('nothing.action')}
        </Button>
      }
    >
      <p>{t(words, { text: search })}</p>
    </EmptyState>
  )
}

/** Actions for the selection, because the inspector may be hidden. */
function PickedBar() {
  const { t } = useTranslation('images')
  const count = useImages((store) => store.picked.size)
  const all = () => targets(imagesStore.getState())
  if (count === 0) return null
  return (
    <div role="toolbar" aria-label={t('picked.label')} className="images-picked">
      <span role="status" className="num">
        {t('picked.count', { count, figure: showCount(count) })}
      </span>
      <Button size="small" icon={Download} onClick={() => void saveImages(all())}>
        {t('actions.download')}
      </Button>
      <Button size="small" icon={Star} onClick={() => void toggleFavourite(all())}>
        {t('actions.favouriteShort')}
      </Button>
      <Button size="small" icon={Trash2} variant="danger" onClick={() => void remove(all())}>
        {t('actions.remove')}
      </Button>
      <IconButton
        icon={X}
        size="small"
        label={t('picked.clear')}
        onClick={() => imagesStore.setState({ picked: new Set() })}
      />
    </div>
  )
}
