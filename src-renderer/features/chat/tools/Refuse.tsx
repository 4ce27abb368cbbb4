import { useState } from 'react'
import { isComposing } from '../../../shared/isComposing.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Field, TextInput } from '../../../shared/ui/Field.tsx'
import { Form } from '../../../shared/ui/Form.tsx'
import { useCall } from '../../../shared/useCall.ts'
import { decide } from './actions.ts'

/** Denies a call, with an optional reason for the model. */
export function Refuse({ messageId, onEnd }: { messageId: string; onEnd: () => void }) {
  const t = useToolTranslate()
  const [why, setWhy] = useState('')
  const { busy, run } = useCall()
  const say = () => run(() => decide(messageId, 'no', why))
  return (
    <Form className="flex flex-wrap items-end gap-2" onSubmit={say}>
      <div className="min-w-[min(240px,100%)] flex-1">
        <Field label={t('ask.reason')} hint={t('ask.reasonHint')}>
          <TextInput
            autoFocus
            maxLength={10_000}
            value={why}
            onChange={(event) => setWhy(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || isComposing(event)) return
              event.stopPropagation()
              onEnd()
            }}
          />
        </Field>
      </div>
      <Button size="small" type="submit" variant="danger" busy={busy} className="mb-6">
        {t('ask.confirmDeny')}
      </Button>
    </Form>
  )
}
