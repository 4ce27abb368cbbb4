import { RotateCcw } from 'lucide-react'
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

/** The parameters of this chat's next replies. Parameters without a value are not sent. */
export function Parameters() {
  const t = useChatTranslate()
  const { params } = useSetup()
  const key = useChat(({ open }) => open?.id ?? 'new')
  const set = countSet(params)
  return (
    <section className="chat-params" aria-label={t('parameters')} key={key}>
      <h2>
        <span>{t('parameters')}</span>
        {set > 0 && (
          <IconButton icon={RotateCcw} size="small" label={t('resetAll')} onClick={() => changeSetup({ params: {} })} />
        )}
        <PresetMenu />
      </h2>
      {set === 0 && <p className="chat-faint chat-params-note">{t('nothingSet')}</p>}
      {numberSpecs.map((spec) => (
        <NumberField key={spec.name} spec={spec} value={params[spec.name]} />
      ))}
      <StopField value={params.stop} />
      <FormatField value={params.responseFormat} />
      <ExtraField params={params} />
    </section>
  )
}
