import { Plus, Star } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { VList } from 'virtua'
import type { Speech } from '../../../src-preload/contract/speech.ts'
import { joinFacts, showDay } from '../../i18n/format.ts'
import { clockOf } from '../../shared/audio/durationText.ts'
import { isComposing } from '../../shared/isComposing.ts'
import { navigate } from '../../shared/navigation.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { Facts } from '../../shared/ui/Facts.tsx'
import { MadeBy } from '../../shared/ui/MadeBy.tsx'
import { SearchField } from '../../shared/ui/SearchField.tsx'
import { ListSkeleton } from '../../shared/ui/Skeleton.tsx'
import { appStore } from '../../stores/app.ts'
import { isFiltered, shownSpeeches, useSpeech } from '../../stores/speech.ts'
import { readOlder, removeSpeech, setSearch } from './actions.ts'
import { voiceOf } from './labels.ts'

/** The next page is read when this number of rows remains below the view. */
const readAhead = 40

/** All speeches, newest first, filtered by text and voice or by favourites. */
export function SpeechList() {
  const { t } = useTranslation('speech')
  const search = useSpeech((store) => store.search)
  const favourites = useSpeech((store) => store.favourites)
  useEffect(() => {
    useSpeech.setState(({ listsDrawn }) => ({ listsDrawn: listsDrawn + 1 }))
    return () => useSpeech.setState(({ listsDrawn }) => ({ listsDrawn: listsDrawn - 1 }))
  }, [])
  const down = (event: KeyboardEvent): void => {
    if (isComposing(event)) return
    if (event.key === 'Escape' && search !== '') setSearch({ search: '' })
    else if (event.key === 'ArrowDown') {
      event.currentTarget.closest('nav')?.querySelector<HTMLElement>('[data-speech] button[tabindex="0"]')?.focus()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <nav aria-label={t('list')} className="relative flex h-full min-w-0 flex-col bg-panel">
      <SearchField
        className="mx-3 mt-3 mb-2 h-[30px] flex-none rounded-m bg-raise ps-2.5 pe-1 shadow-[0_0_0_1px_var(--line)] focus-within:shadow-[0_0_0_2px_var(--accent)]"
        iconStroke={1.75}
        data-speech-search
        label={t('search')}
        maxLength={500}
        value={search}
        onValue={(text) => setSearch({ search: text })}
        clearLabel={t('clearSearch')}
        onKeyDown={down}
      >
        <IconButton
          icon={Star}
          size="small"
          label={t('onlyFavourites')}
          pressed={favourites}
          className={favourites ? '[&_svg]:fill-current' : ''}
          onClick={() => setSearch({ favourites: !favourites })}
        />
      </SearchField>
      <Button icon={Plus} className="mx-3 mb-1" onClick={() => show(null)}>
        {t('newSpeech')}
      </Button>
      <Rows />
      <Note />
    </nav>
  )
}

function show(id: string | null): void {
  navigate({ page: 'speech', id })
  // Closes the drawer after a selection.
  appStore.setState({ listDrawerOpen: false })
}

function Rows() {
  const { t } = useTranslation('speech')
  const loading = useSpeech((store) => store.state === 'loading')
  const shown = useSpeech((store) => store.found?.speeches ?? store.speeches)
  const total = useSpeech((store) => shownSpeeches(store).total)
  const filtered = useSpeech(isFiltered)
  const search = useSpeech((store) => store.search)
  const favourites = useSpeech((store) => store.favourites && store.search.trim() === '')
  const openId = useSpeech((store) => store.open?.id ?? null)
  const box = useRef<HTMLDivElement>(null)
  if (loading) return <ListSkeleton label={t('loading')} />
  if (shown.length === 0) {
    const words = favourites ? 'noFavourites' : filtered ? 'noMatch' : 'listEmpty'
    return (
      <p role="status" className="px-4 py-3 text-s text-soft">
        {t(words, { search: search.trim() })}
      </p>
    )
  }
  const current = Math.max(
    0,
    shown.findIndex(({ id }) => id === openId),
  )
  const walk = (event: KeyboardEvent<HTMLDivElement>): void => {
    const at = Number(
      event.target instanceof HTMLElement && event.target.closest<HTMLElement>('[data-speech]')?.dataset.at,
    )
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key]
    const speech = shown[at]
    if (event.key === 'Delete' && speech) void removeSpeech(speech.id)
    else if (to !== undefined) {
      box.current
        ?.querySelector<HTMLElement>(`[data-at="${Math.min(shown.length - 1, Math.max(0, to))}"] button`)
        ?.focus()
    } else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the arrow keys of its buttons
    <div ref={box} className="min-h-0 flex-1" onKeyDown={walk}>
      <VList
        role="list"
        data={[...shown]}
        className="pt-1"
        tabIndex={-1}
        onScroll={() => {
          const last = box.current?.querySelector<HTMLElement>('[role="listitem"]:last-child [data-at]')?.dataset.at
          if (shown.length < total && Number(last) > shown.length - readAhead) void readOlder()
        }}
      >
        {(speech, at) => (
          <Row key={speech.id} speech={speech} at={at} open={speech.id === openId} reached={at === current} />
        )}
      </VList>
    </div>
  )
}

function Row({ speech, at, open, reached }: { speech: Speech; at: number; open: boolean; reached: boolean }) {
  const { t } = useTranslation('speech')
  const { id, app, excerpt, state, format, seconds, favourite, createdAt, partsDone, parts } = speech
  const facts = [
    voiceOf(speech),
    format,
    seconds !== null ? clockOf(seconds) : null,
    parts > 1 && state !== 'done' ? `${partsDone}/${parts}` : null,
    showDay(createdAt),
  ]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtual list is between the item and its list
    <div role="listitem" className="px-2">
      <div data-speech={id} data-at={at} data-state={state} className="relative">
        <button
          type="button"
          tabIndex={reached ? 0 : -1}
          aria-current={open ? 'true' : undefined}
          onClick={() => show(id)}
          className={cx(
            'grid w-full min-w-0 rounded-m px-2 py-1.5 text-start hover:bg-hover',
            favourite && state !== 'done' ? 'pe-12' : (favourite || state !== 'done') && 'pe-7',
            open && 'bg-raise shadow-[inset_0_0_0_1px_var(--line)]',
          )}
        >
          <b dir="auto" className="truncate font-[520]">
            {excerpt.replace(/\s+/g, ' ')}
          </b>
          <span className="num truncate text-faint text-s">
            <Facts>
              {app !== undefined && <MadeBy app={app} className="max-w-[50%]" />}
              {joinFacts(facts)}
            </Facts>
          </span>
        </button>
        <span className="pointer-events-none absolute end-2.5 top-2.5 flex items-center gap-1.5">
          {favourite && <Star role="img" aria-label={t('isFavourite')} size={13} className="fill-current text-warn" />}
          {state !== 'done' && (
            <i
              role="img"
              aria-label={t(state)}
              title={t(state)}
              className={cx(
                'size-[7px] rounded-full',
                state === 'making' && 'animate-breathe bg-accent',
                state === 'failed' && 'bg-bad',
                state === 'cut' && 'bg-warn',
                state === 'cancelled' && 'bg-line-strong',
              )}
            />
          )}
        </span>
      </div>
    </div>
  )
}

/** Time for which undo is offered, ms. */
const undoFor = 10_000

function Note() {
  const { t } = useTranslation('speech')
  const note = useSpeech((store) => store.note)
  useEffect(() => {
    if (!note) return
    const timer = setTimeout(() => useSpeech.setState({ note: null }), undoFor)
    return () => clearTimeout(timer)
  }, [note])
  return (
    <div role="status" className="absolute inset-x-2 bottom-2 z-10">
      {note && (
        <div className="flex animate-appear items-center gap-2 rounded-m bg-raise py-1.5 ps-3 pe-1.5 text-s shadow-[0_0_0_1px_var(--line-strong),var(--lift-large)]">
          <span className="min-w-0 flex-1">{note.text}</span>
          <Button size="small" onClick={note.undo}>
            {t('undo')}
          </Button>
        </div>
      )}
    </div>
  )
}
