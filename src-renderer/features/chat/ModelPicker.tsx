import { ChevronDown, Columns2 } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type Ref, useRef } from 'react'
import { showNamed, showNames } from '../../i18n/format.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { PopoverPanel } from '../../shared/ui/PopoverPanel.tsx'
import { Segmented } from '../../shared/ui/Segmented.tsx'
import { useChat } from '../../stores/chat.ts'
import { useStage } from '../../stores/chatPage.ts'
import { loadModels, pickModel } from './actions.ts'
import { setCompared, toggleCompared } from './compare.ts'
import { ModelList } from './ModelList.tsx'
import { useChatTranslate } from './messages.ts'

/** The button with the model, or models, of the next reply, and its list. */
export function ModelPicker() {
  const t = useChatTranslate()
  const model = useChat((state) => state.model)
  const compared = useChat((state) => state.compared)
  const shown = useStage((state) => state.picking !== null)
  const several = compared.length > 1
  const search = useRef<HTMLInputElement>(null)
  const show = (next: boolean): void => {
    useStage.setState({ picking: next ? (several ? 'several' : 'one') : null })
    if (next && useChat.getState().models.state === 'idle') void loadModels(false)
  }
  const name = several ? t('modelsPicked', { count: compared.length }) : (model ?? t('pickModel'))
  return (
    <Popover.Root open={shown} onOpenChange={show}>
      <Popover.Trigger
        className="chat-chip"
        aria-label={showNamed(t('model'), several ? showNamed(name, showNames(compared)) : name)}
        title={several ? compared.join('\n') : name}
      >
        {several && <Columns2 aria-hidden />}
        <span className="chat-clip">{name}</span>
        <ChevronDown aria-hidden />
      </Popover.Trigger>
      <PopoverPanel
        className="chat-menu chat-models"
        align="end"
        sideOffset={4}
        collisionPadding={12}
        aria-label={t('pickModel')}
        onOpenAutoFocus={(event) => {
          event.preventDefault()
          search.current?.focus()
        }}
      >
        <Picking searchRef={search} />
      </PopoverPanel>
    </Popover.Root>
  )
}

function Picking({ searchRef }: { searchRef: Ref<HTMLInputElement> }) {
  const t = useChatTranslate()
  const model = useChat((state) => state.model)
  const compared = useChat((state) => state.compared)
  const mode = useStage((state) => state.picking) ?? 'one'
  const pickOne = (id: string): void => {
    setCompared([])
    void pickModel(id)
    useStage.setState({ picking: null })
  }
  const change = (next: 'one' | 'several'): void => {
    useStage.setState({ picking: next })
    // Starts with the models that are already picked.
    if (next === 'several') setCompared(compared.length > 0 || model === null ? compared : [model])
    else setCompared([])
  }
  return (
    <>
      <div className="chat-models-mode">
        <Segmented
          label={t('modelsMode')}
          value={mode}
          segments={[
            { value: 'one', label: t('modelsOne') },
            { value: 'several', label: t('modelsCompare'), icon: Columns2 },
          ]}
          onChange={change}
        />
      </div>
      {mode === 'several' && (
        <p className="chat-models-note" role="status">
          {compared.length < 2
            ? t('compareMore')
            : t('compareNow', { count: compared.length, names: showNames(compared) })}
        </p>
      )}
      <ModelList
        key={mode}
        searchRef={searchRef}
        multiple={mode === 'several'}
        picked={mode === 'several' ? compared : model === null ? [] : [model]}
        onPick={mode === 'several' ? toggleCompared : pickOne}
      />
      {mode === 'several' && (
        <div className="flex justify-end p-1 pt-2">
          <Button size="small" variant="primary" onClick={() => useStage.setState({ picking: null })}>
            {t('compareDone')}
          </Button>
        </div>
      )}
    </>
  )
}
