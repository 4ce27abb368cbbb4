import { useId } from 'react'
import { Segmented } from '../../../shared/ui/Segmented.tsx'
import { TextArea } from '../../../shared/ui/TextArea.tsx'
import { useChatTranslate } from '../messages.ts'
import { changeSetup, useSetup } from '../setup.ts'

/** What every request of this conversation begins with. */
export function Instructions() {
  const words = useChatTranslate()
  const hint = useId()
  const { instructions, instructionsRole } = useSetup()
  return (
    <section className="chat-instructions" aria-label={words('instructions')}>
      <h2>{words('instructions')}</h2>
      <TextArea
        aria-label={words('instructions')}
        aria-describedby={hint}
        placeholder={words('instructionsPlaceholder')}
        value={instructions}
        maxLength={1_000_000}
        onChange={(event) => changeSetup({ instructions: event.target.value })}
      />
      <div className="chat-instructions-foot">
        <span id={hint} className="chat-faint">
          {words(instructions === '' ? 'instructionsNone' : 'instructionsAs')}
        </span>
        {instructions !== '' && (
          <Segmented
            label={words('instructionsRole')}
            value={instructionsRole}
            segments={[
              { value: 'system', label: 'system' },
              { value: 'developer', label: 'developer' },
            ]}
            onChange={(role) => changeSetup({ instructionsRole: role })}
          />
        )}
      </div>
    </section>
  )
}
