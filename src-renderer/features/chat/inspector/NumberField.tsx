import { useEffect, useId, useState } from 'react'
import { useChatTranslate } from '../messages.ts'
import { isOutside, type NumberSpec, readNumber } from '../params.ts'
import { changeParam } from '../setup.ts'
import { ParamRow } from './ParamRow.tsx'
import { paramNames } from './parameterNames.ts'

const wires = {
  temperature: 'temperature',
  topP: 'top_p',
  maxTokens: 'max_tokens',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  n: 'n',
} as const

/** A number field, for some ranges with a slider. Invalid input stays in the field with an error. */
export function NumberField({ spec, value }: { spec: NumberSpec; value: number | undefined }) {
  const t = useChatTranslate()
  const id = useId()
  const [typed, setTyped] = useState(value === undefined ? '' : String(value))
  const read = readNumber(typed, spec)
  const fault = 'fault' in read ? read.fault : null
  const unusual = 'value' in read && read.value !== undefined && isOutside(read.value, spec)
  // When a preset, a reset or another window changes the value, the value replaces the typed text, unless both are equivalent.
  useEffect(() => {
    setTyped((now) => {
      const own = readNumber(now, spec)
      return 'value' in own && own.value === value ? now : value === undefined ? '' : String(value)
    })
  }, [value, spec])
  const type = (text: string): void => {
    setTyped(text)
    const next = readNumber(text, spec)
    if ('value' in next) changeParam(spec.name, next.value)
  }
  const reset = (): void => {
    setTyped('')
    changeParam(spec.name, undefined)
  }
  const name = t(paramNames[spec.name])
  return (
    <ParamRow
      id={id}
      name={name}
      wire={wires[spec.name]}
      set={typed !== ''}
      onReset={reset}
      fault={fault && t(`fault_${fault}`, { min: spec.min, max: spec.max })}
      control={
        <input
          id={id}
          className="chat-param-number"
          inputMode="decimal"
          autoComplete="off"
          placeholder={t('notSent')}
          aria-invalid={fault !== null || undefined}
          aria-describedby={fault !== null ? `${id}-fault` : unusual ? `${id}-unusual` : undefined}
          value={typed}
          onChange={(event) => type(event.target.value)}
        />
      }
    >
      {spec.slides && value !== undefined && (
        <input
          type="range"
          className="chat-slider"
          aria-label={t('slideOf', { name })}
          min={spec.min}
          max={spec.max}
          step={spec.step}
          value={value}
          onChange={(event) => type(event.target.value)}
        />
      )}
      {unusual && (
        <p className="chat-faint" id={`${id}-unusual`} role="status">
          {t('unusual', { min: spec.min, max: spec.max })}
        </p>
      )}
    </ParamRow>
  )
}
