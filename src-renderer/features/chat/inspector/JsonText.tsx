import { useTranslation } from 'react-i18next'
import { jsonFaultText } from '../../../shared/toolMessages.ts'
import { jsonFault } from '../../../shared/ui/jsonFault.ts'
import { TextArea } from '../../../shared/ui/TextArea.tsx'

/** A JSON field that reports errors while the person types. `faults` are errors in valid JSON. */
export function JsonText(props: {
  id: string
  label: string
  value: string
  placeholder: string
  faults: readonly string[]
  onChange: (text: string) => void
}) {
  const { t } = useTranslation('chatTools')
  const { id, value } = props
  const broken = value.trim() === '' ? null : jsonFault(value)
  const faults = broken ? [jsonFaultText(t, broken)] : props.faults
  return (
    <div className="chat-json">
      <TextArea
        id={id}
        mono
        aria-label={props.label}
        aria-invalid={faults.length > 0 || undefined}
        aria-describedby={`${id}-faults`}
        placeholder={props.placeholder}
        value={value}
        onChange={(event) => props.onChange(event.target.value)}
      />
      <div id={`${id}-faults`} role="status">
        {faults.map((fault) => (
          <p key={fault} className="chat-param-fault">
            {fault}
          </p>
        ))}
      </div>
    </div>
  )
}
