import { useEffect, useId, useState } from 'react'
import type { ChatParams } from '../../../../src-preload/contract/chat.ts'
import { useChat } from '../../../stores/chat.ts'
import { useStage } from '../../../stores/chatPage.ts'
import { type ChatTranslate, useChatTranslate } from '../messages.ts'
import { type ExtraFault, readExtra } from '../params.ts'
import { changeParam } from '../setup.ts'
import { JsonText } from './JsonText.tsx'
import { ParamRow } from './ParamRow.tsx'

/** Additional members of the request body for specific providers. Invalid input stays in the field and is not sent. */
export function ExtraField({ params }: { params: ChatParams }) {
  const value = params.extra
  const t = useChatTranslate()
  const id = useId()
  const key = useChat(({ open }) => open?.id ?? 'new')
  const text = useStage(({ extras }) => extras[key]) ?? (value === undefined ? '' : JSON.stringify(value, null, 2))
  const [shown, setShown] = useState(text !== '')
  const read = readExtra(text, params)
  const set = (next: string | null): void =>
    useStage.setState(({ extras: { [key]: _before, ...extras } }) => ({
      extras: next === null ? extras : { ...extras, [key]: next },
    }))
  // When a preset or another window changes the value, the value replaces the typed text, unless both are equivalent.
  useEffect(() => {
    const typed = useStage.getState().extras[key]
    if (typed === undefined) return
    const own = readExtra(typed, params)
    if ('value' in own && JSON.stringify(own.value) !== JSON.stringify(value)) set(null)
  })
  const type = (next: string): void => {
    set(next)
    const own = readExtra(next, params)
    if ('value' in own) changeParam('extra', own.value)
  }
  const reset = (): void => {
    set(null)
    setShown(false)
    changeParam('extra', undefined)
  }
  return (
    <ParamRow
      id={id}
      name={t('paramExtra')}
      wire="…"
      set={text !== '' || shown}
      onReset={reset}
      control={
        shown ? null : (
          <button type="button" id={id} className="chat-param-open" onClick={() => setShown(true)}>
            {t('notSent')}
          </button>
        )
      }
    >
      {shown && (
        <JsonText
          id={id}
          label={t('paramExtra')}
          value={text}
          placeholder={'{ "top_k": 40 }'}
          faults={'fault' in read ? faultText(read.fault, t) : []}
          onChange={type}
        />
      )}
    </ParamRow>
  )
}

function faultText(fault: ExtraFault, t: ChatTranslate): string[] {
  if (fault.is === 'json') return []
  if (fault.is === 'object') return [t('extraObject')]
  return fault.names.map((name) => t('extraOwn', { name }))
}
