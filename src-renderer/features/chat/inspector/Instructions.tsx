import { useId } from 'react'
import { Segmented } from '../../../shared/ui/Segmented.tsx'
import { TextArea } from '../../../shared/ui/TextArea.tsx'
import { DefaultModelFact, DefaultSource } from '../list/DefaultSource.tsx'
import { useChatTranslate } from '../messages.ts'
import { changeSetup, useSetup } from '../setup.ts'

/** The instructions at the start of every request of this chat. */
export function Instructions() {
  const t = useChatTranslate()
  const hint = useId()
  const { instructions, instructionsRole } = useSetup()
  return (
    <>
      <DefaultModelFact />
      <section className="chat-instructions" aria-label={t('instructions')}>
        <h2>{t('instructions')}</h2>
        <TextArea
          aria-label={t('instructions')}
          aria-describedby={hint}
          placeholder={t('instructionsPlaceholder')}
          value={instructions}
          maxLength={1_000_000}
          onChange={(event) => changeSetup({ instructions: event.target.value })}
        />
        <div className="chat-instructions-foot">
          <span id={hint} className="chat-faint">
            {t(instructions === '' ? 'instructionsNone' : 'instructionsAs')}
          </span>
          {instructions !== '' && (
            <Segmented
              label={t('instructionsRole')}
              value={instructionsRole}
              segments={[
                { value: 'system', label: 'system' },
                { value: 'developer', label: 'developer' },
              ]}
              onChange={(role) => changeSetup({ instructionsRole: role })}
            />
          )}
        </div>
        <DefaultSource of="instructions" value={instructions} />
      </section>
    </>
  )
}
