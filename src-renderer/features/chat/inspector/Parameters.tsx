import { ChevronRight, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import type { ChatParams } from '../../../../src-preload/contract/chat.ts'
import { localStore } from '../../../shared/storage.ts'
import { IconButton } from '../../../shared/ui/Button.tsx'
import { useChat } from '../../../stores/chat.ts'
import { useChatTranslate } from '../messages.ts'
import { countSet, numberSpecs } from '../params.ts'
import { changeSetup, useSetup } from '../setup.ts'
import { ExtraField } from './ExtraField.tsx'
import { FormatField } from './FormatField.tsx'
import { NumberField } from './NumberField.tsx'
import { PresetMenu } from './PresetMenu.tsx'
import { StopField } from './StopField.tsx'

const usual: ReadonlySet<keyof ChatParams> = new Set(['temperature', 'maxTokens'])
/** Storage key: whether this browser shows the advanced parameters. */
const advancedKey = 'chat.advanced-parameters'

/** The parameters of this chat's next replies. Parameters without a value are not sent. */
export function Parameters() {
  const t = useChatTranslate()
  const { params } = useSetup()
  const key = useChat(({ open }) => open?.id ?? 'new')
  const set = countSet(params)
  return (
    <section className="chat-params" aria-label={t('parameters')} key={key}>
      <header>
        <h2>{t('parameters')}</h2>
        {set > 0 && (
          <IconButton icon={RotateCcw} size="small" label={t('resetAll')} onClick={() => changeSetup({ params: {} })} />
        )}
        <PresetMenu />
      </header>
      {set === 0 && <p className="chat-faint chat-params-note">{t('nothingSet')}</p>}
      <Numbers usual params={params} />
      <Advanced params={params} />
    </section>
  )
}

const Numbers = ({ usual: wanted, params }: { usual: boolean; params: ChatParams }) =>
  numberSpecs
    .filter(({ name }) => usual.has(name) === wanted)
    .map((spec) => <NumberField key={spec.name} spec={spec} value={params[spec.name]} />)

/** Rarely used parameters. Collapsed until the person opens them, with the number of set parameters. */
function Advanced({ params }: { params: ChatParams }) {
  const t = useChatTranslate()
  const [open, setOpen] = useState(() => localStore.get(advancedKey) === 'open')
  const set = Object.entries(params).filter(
    ([name, value]) => value !== undefined && !usual.has(name as keyof ChatParams),
  ).length
  return (
    <details
      className="chat-advanced"
      open={open}
      onToggle={(event) => {
        setOpen(event.currentTarget.open)
        localStore.set(advancedKey, event.currentTarget.open ? 'open' : 'folded')
      }}
    >
      <summary>
        <ChevronRight aria-hidden /> {t('advanced')}
        {set > 0 && <span className="chat-faint">{t('advancedSet', { count: set })}</span>}
      </summary>
      <Numbers usual={false} params={params} />
      <StopField value={params.stop} />
      <FormatField value={params.responseFormat} />
      <ExtraField params={params} />
    </details>
  )
}
