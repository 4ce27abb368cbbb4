import { useState } from 'react'
import { isComposing } from '../../../shared/isComposing.ts'
import { jsonFaultText, useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Checkbox, Field } from '../../../shared/ui/Field.tsx'
import { Form } from '../../../shared/ui/Form.tsx'
import { jsonFault } from '../../../shared/ui/jsonFault.ts'
import { plainText } from '../../../shared/ui/plainText.ts'
import { shortcut } from '../../../shared/ui/platform.ts'
import { Segmented } from '../../../shared/ui/Segmented.tsx'
import { TextArea } from '../../../shared/ui/TextArea.tsx'
import { useCall } from '../../../shared/useCall.ts'
import { emptyDraft, useTools } from '../../../stores/tools.ts'
import { answer, draftAnswer } from './actions.ts'
import { Refuse } from './Refuse.tsx'
import type { ToolRow } from './round.ts'

/** The contract's limit for a result, characters. */
const longest = 1_000_000

/** Enters the result of a call of the person's own tool. While the call waits for approval, entering a result approves it. */
export function ToolByHand({ row }: { row: ToolRow }) {
  const t = useToolTranslate()
  const draft = useTools((store) => store.drafts[row.id]) ?? emptyDraft
  const { busy, run } = useCall()
  const [refusing, setRefusing] = useState(false)
  const fault = draft.json && draft.text.trim() !== '' ? jsonFault(draft.text) : null
  const empty = draft.json && draft.text.trim() === ''
  const blocked = fault !== null || empty || draft.text.length > longest
  const send = () => {
    if (!blocked) run(() => answer(row.id, draft))
  }
  return (
    <div className="flex flex-col gap-2">
      <Form
        className="flex flex-col gap-2"
        aria-label={t('hand.form', { name: plainText(row.run.name) })}
        onSubmit={send}
      >
        <Field
          label={t('hand.result')}
          hint={t('hand.hint', { keys: shortcut('Enter') })}
          error={fault ? jsonFaultText(t, fault) : draft.text.length > longest ? t('hand.tooLong') : null}
        >
          <TextArea
            mono={draft.json}
            rows={3}
            value={draft.text}
            onChange={(event) => draftAnswer(row.id, { text: event.target.value })}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isComposing(event)) return
              event.preventDefault()
              send()
            }}
          />
        </Field>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Segmented
            label={t('hand.resultType')}
            value={draft.json ? 'json' : 'text'}
            onChange={(as) => draftAnswer(row.id, { json: as === 'json' })}
            segments={[
              { value: 'text', label: t('hand.text') },
              { value: 'json', label: t('hand.json') },
            ]}
          />
          <Checkbox
            label={t('hand.isError')}
            checked={draft.isError}
            onChange={(event) => draftAnswer(row.id, { isError: event.target.checked })}
          />
          <span className="ms-auto flex flex-wrap justify-end gap-3">
            {row.run.state === 'awaiting' && (
              <Button size="small" aria-expanded={refusing} onClick={() => setRefusing(!refusing)}>
                {t('ask.deny')}
              </Button>
            )}
            <Button type="submit" variant="primary" size="small" busy={busy} disabled={blocked}>
              {t('hand.send')}
            </Button>
          </span>
        </div>
      </Form>
      {refusing && <Refuse messageId={row.id} onEnd={() => setRefusing(false)} />}
    </div>
  )
}
