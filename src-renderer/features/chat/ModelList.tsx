import { Check, RefreshCw } from 'lucide-react'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { VList, type VListHandle } from 'virtua'
import type { Model } from '../../../src-preload/contract/models.ts'
import { showCalendarDate } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useChat } from '../../stores/chat.ts'
import { loadModels } from './actions.ts'
import { type ChatTranslate, timeOfDay, useChatTranslate } from './messages.ts'

const rowHeight = 32
const maxHeight = 320

/** The service's models with a search. The focus stays in the search field: arrow keys move, Enter picks. */
export function ModelList(props: {
  picked: readonly string[]
  /** Whether several models can be picked. */
  multiple?: boolean
  onPick: (model: string) => void
}) {
  const { picked, multiple = false, onPick } = props
  const t = useChatTranslate()
  const listId = useId()
  const list = useChat((state) => state.models)
  const [search, setSearch] = useState('')
  const [at, setAt] = useState(0)
  const handle = useRef<VListHandle>(null)
  const found = matching(list.models, search)
  const byKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const chosen = found[at]
    if (event.key === 'Enter') {
      if (chosen) onPick(chosen.id)
    } else if (step !== 0) {
      const next = Math.max(0, Math.min(found.length - 1, at + step))
      setAt(next)
      handle.current?.scrollToIndex(next, { align: 'nearest' })
    } else return
    event.preventDefault()
  }
  return (
    <>
      <div className="chat-models-head">
        <input
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={found[at] ? `${listId}-${at}` : undefined}
          aria-label={t('searchModels')}
          placeholder={t('searchModels')}
          value={search}
          onChange={(event) => {
            setSearch(event.target.value)
            setAt(0)
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
      <ModelsNote found={found.length} search={search} />
      {found.length > 0 && (
        <div
          id={listId}
          role="listbox"
          aria-label={t('pickModel')}
          aria-multiselectable={multiple}
          style={{ height: Math.min(found.length * rowHeight, maxHeight) }}
        >
          <VList ref={handle}>
            {found.map((model, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the search field, which keeps the focus
              <div
                key={model.id}
                id={`${listId}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={picked.includes(model.id)}
                data-at={index === at}
                className="chat-menu-item"
                title={titleOf(model, t)}
                onClick={() => onPick(model.id)}
                onMouseMove={() => setAt(index)}
              >
                <span className="chat-clip">{model.id}</span>
                {model.ownedBy && <span className="chat-faint">{model.ownedBy}</span>}
                {picked.includes(model.id) && <Check aria-hidden />}
              </div>
            ))}
          </VList>
        </div>
      )}
      {list.asOf && (
        <p className="chat-models-foot">{t('modelsAsOf', { count: list.models.length, time: timeOfDay(list.asOf) })}</p>
      )}
    </>
  )
}

/** The latest instant of a Date, s. */
const lastSecond = 8.64e12

/** The whole id, and the creation day if the service reports one (`created`, Unix seconds). */
function titleOf({ id, created }: Model, t: ChatTranslate): string {
  if (created === null || created <= 0 || created > lastSecond) return id
  return t('modelDated', {
    model: id,
    date: showCalendarDate(new Date(created * 1_000).toISOString().slice(0, 10)),
  })
}

/** Models whose name contains every search term. */
function matching(models: readonly Model[], search: string): Model[] {
  const parts = search.toLowerCase().split(/\s+/).filter(Boolean)
  return models.filter(({ id }) => parts.every((part) => id.toLowerCase().includes(part)))
}

function ModelsNote({ found, search }: { found: number; search: string }) {
  const t = useChatTranslate()
  const { state, models, problem } = useChat((chat) => chat.models)
  if (state === 'loading' && models.length === 0) return <p className="chat-models-note">{t('modelsLoading')}</p>
  if (state === 'failed' && problem)
    return <ProblemNotice problem={problem} on={{ retry: () => void loadModels(true) }} />
  if (models.length === 0) return <p className="chat-models-note">{t('modelsEmpty')}</p>
  if (found === 0) return <p className="chat-models-note">{t('modelsNoMatch', { search })}</p>
  return null
}
