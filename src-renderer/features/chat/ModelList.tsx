import { Check, Image, ImageOff, type LucideIcon, RefreshCw, Star, Wrench, WrenchOff } from 'lucide-react'
import { type KeyboardEvent, type Ref, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { VList, type VListHandle } from 'virtua'
import type { Model, ModelFacts } from '../../../src-preload/contract/models.ts'
import { joinFacts, showCalendarDate, showSc } from '../../i18n/format.ts'
import { keysOfPress, showKeys } from '../../shared/commands/keys.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { isComposing } from '../../shared/isComposing.ts'
import { Kbd } from '../../shared/ui/Kbd.tsx'
import { isMac } from '../../shared/ui/platform.ts'
import { WithSc } from '../../shared/ui/WithSc.tsx'
import { useChat } from '../../stores/chat.ts'
import { type FactsById, useModelFacts } from '../../stores/modelFacts.ts'
import { loadModelFacts, loadModels, setFavourite } from './actions.ts'
import { type ChatTranslate, timeOfDay, useChatTranslate } from './messages.ts'
import { type ModelLine, modelAfter, modelLines } from './modelLines.ts'

const favouriteKeys = 'Mod+D'
const rowHeight = 32
const tallRowHeight = 44
const headingHeight = 26
const maxHeight = 352
/** Models per PageUp and PageDown. */
const page = 7

/** The service's models with a search. The focus stays in the search field: arrow keys move, Enter picks, Mod+D marks a favourite. */
export function ModelList(props: {
  picked: readonly string[]
  /** Whether several models can be picked. */
  multiple?: boolean
  onPick: (model: string) => void
  searchRef?: Ref<HTMLInputElement>
}) {
  const { picked, multiple = false, onPick, searchRef } = props
  const t = useChatTranslate()
  const listId = useId()
  const list = useChat((state) => state.models)
  const facts = useModelFacts((store) => store.facts)
  const order = useOrder()
  const [search, setSearch] = useState('')
  const [showAll, setShowAll] = useState(false)
  const [showTests, setShowTests] = useState(false)
  const { lines, shown, hidden, hiddenTests } = useMemo(
    () => modelLines({ models: list.models, facts: order, search, picked, showAll, showTests }),
    [list.models, order, search, picked, showAll, showTests],
  )
  const [reached, setReached] = useState<number | null>(null)
  const at = reached ?? modelAfter(lines, -1, 1)
  const line = lines[at]
  const chosen = line?.line === 'model' ? line.model.id : null
  const handle = useRef<VListHandle>(null)
  const goTo = (next: number): void => {
    setReached(next)
    // Scrolls the first heading into view together with its first model.
    handle.current?.scrollToIndex(next === 1 ? 0 : next, { align: 'nearest' })
  }
  const byKey = (event: KeyboardEvent): void => {
    if (isComposing(event)) return
    if (event.key === 'ArrowDown') goTo(modelAfter(lines, at, 1))
    else if (event.key === 'ArrowUp') goTo(modelAfter(lines, at, -1))
    else if (event.key === 'PageDown') goTo(modelAfter(lines, Math.min(lines.length, at + page + 1), -1))
    else if (event.key === 'PageUp') goTo(modelAfter(lines, Math.max(-1, at - page - 1), 1))
    else if (event.key === 'Enter' && chosen !== null) onPick(chosen)
    else if (keysOfPress(event.nativeEvent, isMac) === favouriteKeys && chosen !== null) toggle(chosen)
    else if (event.key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
  }
  const toggle = (id: string): void => void setFavourite(id, !facts.get(id)?.favourite)
  const height = lines.reduce((sum, one) => sum + heightOf(one, facts), 0)
  return (
    <>
      <div className="chat-models-head">
        <input
          dir="auto"
          ref={searchRef}
          role="combobox"
          aria-expanded
          aria-controls={listId}
          // Before a person moves or types, screen readers would read the first model in place of the field, and take its keys as theirs.
          aria-activedescendant={
            chosen === null || (reached === null && search === '') ? undefined : idOf(listId, at, chosen)
          }
          aria-label={t('searchModels')}
          placeholder={t('searchModels')}
          value={search}
          onChange={(event) => {
            setSearch(event.target.value)
            setReached(null)
            handle.current?.scrollTo(0)
          }}
          onKeyDown={byKey}
        />
        <button
          type="button"
          className="chat-icon"
          aria-label={t('refreshModels')}
          title={t('refreshModels')}
          data-turning={list.state === 'loading'}
          onClick={() => void loadModels(true)}
        >
          <RefreshCw aria-hidden />
        </button>
      </div>
      <ModelsNote found={lines.length} hidden={hidden} search={search} />
      {lines.length > 0 && (
        <div
          id={listId}
          role="listbox"
          aria-label={t('pickModel')}
          aria-multiselectable={multiple}
          style={{ height: Math.min(height, maxHeight) }}
        >
          <VList ref={handle} data={lines} keepMounted={at < 0 ? [] : [at]}>
            {(one: ModelLine, index) =>
              one.line === 'heading' ? (
                <Heading key={one.section} section={one.section} />
              ) : (
                <Option
                  key={one.key}
                  id={idOf(listId, index, one.model.id)}
                  place={placeOf(lines, index)}
                  model={one.model}
                  facts={facts.get(one.model.id)}
                  picked={picked.includes(one.model.id)}
                  reached={index === at}
                  onPick={() => onPick(one.model.id)}
                  onReach={() => setReached(index)}
                  onStar={() => toggle(one.model.id)}
                />
              )
            }
          </VList>
        </div>
      )}
      <Foot
        chosen={chosen}
        favourite={chosen !== null && facts.get(chosen)?.favourite === true}
        counts={{ shown, hidden, hiddenTests }}
        showAll={showAll}
        showTests={showTests}
        onStar={toggle}
        onShowAll={(next) => {
          setShowAll(next)
          setReached(null)
        }}
        onShowTests={(next) => {
          setShowTests(next)
          setReached(null)
        }}
      />
    </>
  )
}

/**
 * The facts that order the list, as of its opening, or of the moment when the first are known. An order that changes under the pointer would
 * lead to wrong picks.
 */
function useOrder() {
  const current = useModelFacts((store) => store.facts)
  const [order, setOrder] = useState(known)
  useEffect(() => {
    let open = true
    void loadModelFacts().then(() => {
      if (open) setOrder(known)
    })
    return () => {
      open = false
    }
  }, [])
  return order ?? current
}

/** The facts about models, or null before they were read. */
function known(): FactsById | null {
  const { facts, isLoaded } = useModelFacts.getState()
  return isLoaded ? facts : null
}

function Heading({ section }: { section: 'recent' | 'favourites' | 'all' }) {
  const { t } = useTranslation('models')
  return (
    <div role="presentation" className="chat-models-heading">
      {t(section)}
    </div>
  )
}

/** Another model at the same place has another id, because screen readers read only a changed one. */
const idOf = (list: string, at: number, model: string): string => `${list}-${at}-${encodeURIComponent(model)}`

const hasAbout = (facts: ModelFacts | undefined): boolean => Boolean(facts?.price || facts?.notForChat)

/** Place and number of the models in the list, which is never drawn as a whole. Headings do not count. */
function placeOf(lines: readonly ModelLine[], index: number): { 'aria-posinset': number; 'aria-setsize': number } {
  const count = (part: readonly ModelLine[]): number => part.filter(({ line }) => line === 'model').length
  return { 'aria-posinset': count(lines.slice(0, index + 1)), 'aria-setsize': count(lines) }
}

function heightOf(line: ModelLine, facts: ReadonlyMap<string, ModelFacts>): number {
  if (line.line === 'heading') return headingHeight
  return hasAbout(facts.get(line.model.id)) ? tallRowHeight : rowHeight
}

function Option(props: {
  id: string
  place: ReturnType<typeof placeOf>
  model: Model
  facts: ModelFacts | undefined
  picked: boolean
  reached: boolean
  onPick: () => void
  onReach: () => void
  onStar: () => void
}) {
  const { model, facts, picked } = props
  const { t } = useTranslation('models')
  const chat = useChatTranslate()
  const favourite = facts?.favourite === true
  const about = [facts?.notForChat && t(`notForChat_${facts.notForChat}`), usePrice(facts)].filter(Boolean)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the search field, which keeps the focus
    <div
      id={props.id}
      role="option"
      {...props.place}
      tabIndex={-1}
      aria-selected={picked}
      data-at={props.reached}
      className="chat-menu-item chat-model"
      title={titleOf(model, chat)}
      onClick={props.onPick}
      onMouseMove={props.onReach}
    >
      <span className="chat-model-check">{picked && <Check aria-hidden />}</span>
      <span className="chat-model-name">
        <span className="chat-model-id">
          <span className="chat-clip" dir="auto">
            {model.id}
          </span>
          {model.ownedBy && (
            <span className="chat-clip chat-model-about" dir="auto">
              {model.ownedBy}
            </span>
          )}
        </span>
        {about.length > 0 && (
          <span className="chat-clip chat-model-about">
            {/* One explained word in the list, in the row that is pointed at. */}
            {props.reached ? <WithSc text={joinFacts(about)} /> : joinFacts(about)}
          </span>
        )}
      </span>
      {favourite && <span className="sr-only">{t('isFavourite')}</span>}
      <Ability state={facts?.images} works={['imagesWork', Image]} refused={['imagesRefused', ImageOff]} />
      <Ability state={facts?.tools} works={['toolsWork', Wrench]} refused={['toolsRefused', WrenchOff]} />
      {/* For pointers only. A key and the button below the list do the same. */}
      <span
        aria-hidden
        className="chat-model-star"
        data-on={favourite}
        title={t(favourite ? 'removeFavourite' : 'addFavourite')}
        onClick={(event) => {
          event.stopPropagation()
          props.onStar()
        }}
      >
        <Star />
      </span>
    </div>
  )
}

type AbilityText = 'imagesWork' | 'imagesRefused' | 'toolsWork' | 'toolsRefused'

function Ability(props: {
  state: ModelFacts['images'] | undefined
  works: readonly [AbilityText, LucideIcon]
  refused: readonly [AbilityText, LucideIcon]
}) {
  const { t } = useTranslation('models')
  if (!props.state) return null
  const [text, Icon] = props[props.state]
  return (
    <span className="chat-model-ability" data-state={props.state} title={t(text)}>
      <Icon aria-hidden />
      <span className="sr-only">{t(text)}</span>
    </span>
  )
}

function usePrice(facts: ModelFacts | undefined): string | null {
  const { t } = useTranslation('models')
  const price = facts?.price
  if (!price) return null
  const [input, output] = [showSc(price.in), showSc(price.out)]
  if (input === '0' && output === '0') return t('free')
  return input === output ? t('priceOfBoth', { amount: input }) : t('price', { input, output })
}

function Foot(props: {
  chosen: string | null
  favourite: boolean
  counts: { shown: number; hidden: number; hiddenTests: number }
  showAll: boolean
  showTests: boolean
  onStar: (model: string) => void
  onShowAll: (showAll: boolean) => void
  onShowTests: (showTests: boolean) => void
}) {
  const { chosen, favourite, showAll, showTests } = props
  const { shown, hidden, hiddenTests } = props.counts
  const { t } = useTranslation('models')
  const chat = useChatTranslate()
  const { models, asOf } = useChat((state) => state.models)
  const count = models.length
  return (
    <div className="chat-models-foot">
      {chosen !== null && (
        <button type="button" onClick={() => props.onStar(chosen)}>
          <Star aria-hidden data-on={favourite} />
          {t(favourite ? 'removeFavourite' : 'addFavourite')} <span className="sr-only">{chosen}</span>
          <Kbd>{showKeys(favouriteKeys, isMac)}</Kbd>
        </button>
      )}
      {(hidden > 0 || showAll) && (
        <button type="button" onClick={() => props.onShowAll(!showAll)}>
          {showAll ? t('showChat') : t('showAll', { count: hidden })}
        </button>
      )}
      {(hiddenTests > 0 || showTests) && (
        <button type="button" onClick={() => props.onShowTests(!showTests)}>
          {showTests ? t('hideTests') : t('showTests', { count: hiddenTests })}
        </button>
      )}
      {asOf && (
        <p>
          {shown === count
            ? chat('modelsAsOf', { count, time: timeOfDay(asOf) })
            : chat('modelsShownAsOf', { shown, count, time: timeOfDay(asOf) })}
        </p>
      )}
    </div>
  )
}

/** The latest instant of a Date, s. */
const lastSecond = 8.64e12

/** The whole id and owner, and the creation day if the service reports one (`created`, Unix seconds). */
function titleOf({ id, ownedBy, created }: Model, t: ChatTranslate): string {
  const model = ownedBy ? `${id} · ${ownedBy}` : id
  if (created === null || created <= 0 || created > lastSecond) return model
  return t('modelDated', { model, date: showCalendarDate(new Date(created * 1_000).toISOString().slice(0, 10)) })
}

function ModelsNote({ found, hidden, search }: { found: number; hidden: number; search: string }) {
  const t = useChatTranslate()
  const { t: ofModels } = useTranslation('models')
  const { state, models, problem } = useChat((chat) => chat.models)
  if (state === 'loading' && models.length === 0) return <p className="chat-models-note">{t('modelsLoading')}</p>
  if (state === 'failed' && problem)
    return <ProblemNotice problem={problem} on={{ retry: () => void loadModels(true) }} />
  if (models.length === 0) return <p className="chat-models-note">{t('modelsEmpty')}</p>
  if (found > 0) return null
  if (hidden > 0) return <p className="chat-models-note">{ofModels('hiddenMatch', { count: hidden, search })}</p>
  return <p className="chat-models-note">{t('modelsNoMatch', { search })}</p>
}
