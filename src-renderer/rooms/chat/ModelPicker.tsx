import { Check, ChevronDown, RefreshCw } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type KeyboardEvent, useRef, useState } from 'react'
import { VList, type VListHandle } from 'virtua'
import type { Model } from '../../../src-preload/contract/models.ts'
import { ProblemNotice } from '../../problems/ProblemNotice.tsx'
import { useChat } from '../../stores/chat.ts'
import { loadModels, pickModel } from './actions.ts'
import { timeOfDay, useWords } from './words.ts'

/** The chip that names the model of the next reply, and the list behind it. */
export function ModelPicker() {
  const words = useWords()
  const model = useChat((state) => state.model)
  const [shown, setShown] = useState(false)
  const show = (next: boolean): void => {
    setShown(next)
    if (next && useChat.getState().models.state === 'idle') void loadModels(false)
  }
  return (
    <Popover.Root open={shown} onOpenChange={show}>
      <Popover.Trigger className="chat-chip" aria-label={`${words('model')}: ${model ?? words('pickModel')}`}>
        <span className="chat-clip">{model ?? words('pickModel')}</span>
        <ChevronDown aria-hidden />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="chat-menu chat-models" align="end" sideOffset={4} aria-label={words('pickModel')}>
          <Models onPicked={() => setShown(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Models({ onPicked }: { onPicked: () => void }) {
  const words = useWords()
  const list = useChat((state) => state.models)
  const current = useChat((state) => state.model)
  const [search, setSearch] = useState('')
  const [at, setAt] = useState(0)
  const handle = useRef<VListHandle>(null)
  const found = list.models.filter((model) => model.id.toLowerCase().includes(search.trim().toLowerCase()))
  const pick = (model: Model | undefined): void => {
    if (!model) return
    void pickModel(model.id)
    onPicked()
  }
  const byKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Enter') pick(found[at])
    else if (step !== 0) {
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
          aria-controls="chat-models"
          aria-activedescendant={found[at] ? `chat-model-${at}` : undefined}
          aria-label={words('searchModels')}
          placeholder={words('searchModels')}
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
          aria-label={words('refreshModels')}
          title={words('refreshModels')}
          data-turning={list.state === 'loading'}
          onClick={() => void loadModels(true)}
        >
          <RefreshCw aria-hidden />
        </button>
      </div>
      <ModelsNote found={found.length} search={search} />
      {found.length > 0 && (
        <div
          id="chat-models"
          role="listbox"
          aria-label={words('pickModel')}
          style={{ height: Math.min(found.length * 32, 320) }}
        >
          <VList ref={handle}>
            {found.map((model, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the search field, which keeps the focus
              <div
                key={model.id}
                id={`chat-model-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={model.id === current}
                data-at={index === at}
                className="chat-menu-item"
                onClick={() => pick(model)}
                onMouseMove={() => setAt(index)}
              >
                <span className="chat-clip">{model.id}</span>
                {model.ownedBy && <span className="chat-faint">{model.ownedBy}</span>}
                {model.id === current && <Check aria-hidden />}
              </div>
            ))}
          </VList>
        </div>
      )}
      {list.asOf && (
        <p className="chat-models-foot">
          {words('modelsAsOf', { count: list.models.length, time: timeOfDay(list.asOf) })}
        </p>
      )}
    </>
  )
}

function ModelsNote({ found, search }: { found: number; search: string }) {
  const words = useWords()
  const { state, models, problem } = useChat((chat) => chat.models)
  if (state === 'loading' && models.length === 0) return <p className="chat-models-note">{words('modelsLoading')}</p>
  if (state === 'failed' && problem)
    return <ProblemNotice problem={problem} on={{ retry: () => void loadModels(true) }} />
  if (models.length === 0) return <p className="chat-models-note">{words('modelsEmpty')}</p>
  if (found === 0) return <p className="chat-models-note">{words('modelsNoMatch', { search })}</p>
  return null
}
