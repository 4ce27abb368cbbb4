import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../../shared/ui/Button.tsx'
import { useChatTranslate } from '../messages.ts'

/** A parameter: name, control, reset button and error. */
export function ParamRow(props: {
  id: string
  name: string
  /** The parameter's name in the request. */
  wire: string
  set: boolean
  onReset: () => void
  fault?: string | null
  control: ReactNode
  children?: ReactNode
}) {
  const t = useChatTranslate()
  return (
    <div className="chat-param" data-set={props.set}>
      <div className="chat-param-line">
        <label htmlFor={props.id} title={props.wire}>
          {props.name}
        </label>
        {props.control}
        {props.set && (
          <IconButton
            icon={X}
            size="small"
            label={t('resetOne', { name: props.name })}
            onClick={props.onReset}
            className="chat-param-reset"
          />
        )}
      </div>
      {props.children}
      {props.fault && (
        <p className="chat-param-fault" id={`${props.id}-fault`} role="status">
          {props.fault}
        </p>
      )}
    </div>
  )
}
