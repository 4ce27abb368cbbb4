import { isComposing } from '../../shared/isComposing.ts'
import { containsWords } from '../../shared/looseText.ts'
import './list.css'
import { Brush, Plus, RotateCcw } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Drawing } from '../../../src-preload/contract/images.ts'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import { joinFacts, showDay, showSc } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { Facts } from '../../shared/ui/Facts.tsx'
import { MadeBy } from '../../shared/ui/MadeBy.tsx'
import { SearchField } from '../../shared/ui/SearchField.tsx'
import { ListSkeleton } from '../../shared/ui/Skeleton.tsx'
import { Spinner } from '../../shared/ui/Spinner.tsx'
import { appStore } from '../../stores/app.ts'
import { isMaking, isTroubled, savedCount, useImages } from '../../stores/images.ts'
import { focusPrompt, goToDrawing, reuseDrawing } from './actions.ts'
import { searchFor, setDraft } from './subscriptions.ts'

/** Recent prompts, newest first: state, images, cost. */
export function ImagesList() {
  const { t } = useTranslation('images')
  const drawings = useImages((store) => store.drawings)
  const loading = useImages((store) => store.state === 'loading')
  const search = useImages((store) => store.search)
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
      <SearchField
        className="images-search"
        iconSize={14}
        type="text"
        label={t('search')}
        maxLength={1000}
        value={search}
        onValue={searchFor}
        clearLabel={t('clearSearch')}
        onKeyDown={(event) => {
          if (isComposing(event)) return
          if (event.key === 'ArrowDown') walk(0)
          else if (event.key === 'Escape' && search !== '') searchFor('')
          else return
          event.preventDefault()
        }}
      />
      <div className="px-3 pb-2">
        <Button icon={Plus} className="w-full" onClick={fresh}>
          {t('list.new')}
        </Button>
      </div>
      {loading && <ListSkeleton label={t('loading')} />}
      {!loading && shown.length === 0 && (
        <p className="images-list-none">{t(search === '' ? 'list.none' : 'list.nothing')}</p>
      )}
      <ul ref={list} className="images-list-rows" onKeyDown={byKey}>
        {shown.map((drawing, index) => (
          <Row key={drawing.id} drawing={drawing} reached={index === at} onReach={() => setReached(drawing.id)} />
        ))}
      </ul>
    </nav>
  )
}

const t = i18n.getFixedT(null, 'images')

/** Matches all search terms in any order, regardless of case. */
function matching(drawings: readonly Drawing[], search: string): readonly Drawing[] {
  const isFound = ({ prompt, app = '' }: Drawing) => containsWords(`${prompt}\n${app}`, search)
  return search.trim() === '' ? drawings : drawings.filter(isFound)
}

/** The state and the remaining images of a drawing as text. */
function wordsOf(drawing: Drawing): string {
  const { n, state, inSight } = drawing
  const kept = savedCount(drawing)
  if (isMaking(drawing)) return t('under.state.making')
  if (isTroubled(drawing) && kept === 0) return t(`under.state.${state === 'done' ? 'failed' : state}`)
  if (inSight.count === 0) return t('list.deleted')
  return kept < n ? t('list.ofPictures', { kept, all: n }) : t('list.pictures', { count: inSight.count })
}

function Row({ drawing, reached, onReach }: { drawing: Drawing; reached: boolean; onReach: () => void }) {
  const { t } = useTranslation('images')
  const { app, cost, costIs, state, createdAt, prompt, inSight } = drawing
  const here = useImages((store) => {
    const { cursor } = store
    return cursor !== null && drawing.slots.some(({ imageId }) => imageId === cursor)
  })
  const go = (): void => {
    appStore.setState({ listDrawerOpen: false })
    void goToDrawing(drawing)
  }
  return (
    <li data-drawing={drawing.id} data-here={here} className="images-row">
      <button type="button" tabIndex={reached ? 0 : -1} onFocus={onReach} onClick={go} className="images-row-open">
        <span className="images-row-look" data-state={state}>
          {isMaking(drawing) ? (
            <Spinner />
          ) : inSight.lookId !== null ? (
            <img src={mediaPath(inSight.lookId)} alt="" loading="lazy" decoding="async" />
          ) : (
            <Brush aria-hidden size={15} />
          )}
        </span>
        <span className="images-row-words">
          <b dir="auto">{prompt}</b>
          <span className="num" data-bad={isTroubled(drawing)}>
            <Facts>
              {app !== undefined && <MadeBy app={app} className="max-w-[50%]" />}
              {joinFacts([wordsOf(drawing), cost !== null && amountOf(cost, costIs), showDay(createdAt)])}
            </Facts>
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

const amountOf = (cost: string, costIs: Drawing['costIs']): string =>
  i18n.t(costIs === 'estimated' ? 'common:cost.estimated' : 'common:cost.plain', { amount: showSc(cost) })
