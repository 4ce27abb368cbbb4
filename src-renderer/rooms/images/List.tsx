import { Brush, Plus, RotateCcw, Search } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Drawing } from '../../../src-preload/contract/images.ts'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import { showDay } from '../../i18n/format.ts'
import { appStore } from '../../stores/app.ts'
import { imagesStore, isMaking, isTroubled, keptOf, useImages } from '../../stores/images.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { showSc } from '../../ui/sc.ts'
import { focusPrompt, goToDrawing, reuseDrawing } from './deeds.ts'
import { setDraft } from './live.ts'

/** The prompts of late, newest first: how each went, what it brought, what it cost. */
export function ImagesList() {
  const { t } = useTranslation('images')
  const drawings = useImages((store) => store.drawings)
  const [search, setSearch] = useState('')
  const [reached, setReached] = useState<string | null>(null)
  const list = useRef<HTMLUListElement>(null)
  const shown = useMemo(() => matching(drawings, search), [drawings, search])
  const at = Math.max(
    0,
    shown.findIndex(({ id }) => id === reached),
  )
  const walk = (to: number): void => {
    const next = shown[Math.max(0, Math.min(shown.length - 1, to))]
    if (!next) return
    setReached(next.id)
    list.current?.querySelector<HTMLElement>(`[data-drawing="${next.id}"] button`)?.focus()
  }
  const byKey = (event: KeyboardEvent): void => {
    const goals: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }
    const goal = goals[event.key]
    if (goal === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    walk(goal)
  }
  const fresh = (): void => {
    setDraft({ prompt: '', from: null })
    appStore.setState({ listDrawerOpen: false })
    focusPrompt()
  }
  return (
    <nav aria-label={t('list.label')} className="images-list">
      <div className="images-search images-list-search">
        <Search aria-hidden size={14} />
        <input
          type="text"
          aria-label={t('list.search')}
          placeholder={t('list.search')}
          autoComplete="off"
          spellCheck={false}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') walk(0)
            else if (event.key === 'Escape' && search !== '') setSearch('')
            else return
            event.preventDefault()
          }}
        />
      </div>
      <div className="px-3 pb-2">
        <Button icon={Plus} className="w-full" onClick={fresh}>
          {t('list.new')}
        </Button>
      </div>
      {shown.length === 0 && <p className="images-list-none">{t(search === '' ? 'list.none' : 'list.nothing')}</p>}
      <ul ref={list} className="images-list-rows" onKeyDown={byKey}>
        {shown.map((drawing, index) => (
          <Row key={drawing.id} drawing={drawing} reached={index === at} onReach={() => setReached(drawing.id)} />
        ))}
      </ul>
    </nav>
  )
}

/** All words, in any order, whatever their case. */
function matching(drawings: readonly Drawing[], search: string): readonly Drawing[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return drawings
  return drawings.filter(({ prompt }) => {
    const text = prompt.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function Row({ drawing, reached, onReach }: { drawing: Drawing; reached: boolean; onReach: () => void }) {
  const { t } = useTranslation('images')
  const { cost, costIs, n, state, createdAt, prompt } = drawing
  const kept = keptOf(drawing)
  const first = drawing.slots.find((slot) => slot.state === 'kept')?.imageId ?? null
  const thumb = useImages((store) => store.images.find(({ id }) => id === first))
  const here = useImages((store) => {
    const { cursor } = store
    return cursor !== null && drawing.slots.some(({ imageId }) => imageId === cursor)
  })
  const words = isMaking(drawing)
    ? t('under.state.making')
    : isTroubled(drawing) && kept === 0
      ? t(`under.state.${state === 'done' ? 'failed' : state}`)
      : kept < n
        ? t('list.ofPictures', { kept, count: n })
        : t('list.pictures', { count: kept })
  const go = (): void => {
    appStore.setState({ listDrawerOpen: false })
    // One that brought no picture shows what went wrong again.
    if (!goToDrawing(drawing)) {
      imagesStore.setState(({ putAway }) => ({ putAway: new Set([...putAway].filter((id) => id !== drawing.id)) }))
    }
  }
  return (
    <li data-drawing={drawing.id} data-here={here} className="images-row">
      <button type="button" tabIndex={reached ? 0 : -1} onFocus={onReach} onClick={go} className="images-row-open">
        <span className="images-row-look" data-state={state}>
          {isMaking(drawing) ? (
            <Spinner />
          ) : thumb ? (
            <img src={mediaPath(thumb.thumbId ?? thumb.mediaId)} alt="" />
          ) : (
            <Brush aria-hidden size={15} />
          )}
        </span>
        <span className="images-row-words">
          <b dir="auto">{prompt}</b>
          <span className="num" data-bad={isTroubled(drawing)}>
            {words}
            {cost !== null && ` · ${costIs === 'estimated' ? '≈ ' : ''}${showSc(cost)} SC`} · {showDay(createdAt)}
          </span>
        </span>
      </button>
      <IconButton
        icon={RotateCcw}
        size="small"
        tabIndex={reached ? 0 : -1}
        label={t('list.reuse', { prompt: prompt.slice(0, 60) })}
        onClick={() => reuseDrawing(drawing)}
      />
    </li>
  )
}
