import { useId, useState } from 'react'
import type { ChatParams } from '../../../../src-preload/contract/chat.ts'
import { Checkbox, Field, TextInput } from '../../../shared/ui/Field.tsx'
import { Select } from '../../../shared/ui/Select.tsx'
import { type ChatTranslate, useChatTranslate } from '../messages.ts'
import { schemaFaults } from '../schema.ts'
import { changeParam } from '../setup.ts'
import { JsonText } from './JsonText.tsx'
import { ParamRow } from './ParamRow.tsx'

type Format = NonNullable<ChatParams['responseFormat']>
type SchemaFormat = Extract<Format, { type: 'json_schema' }>

const example = `{
  "type": "object",
  "properties": {
    "answer": { "type": "string" }
  },
  "required": ["answer"],
  "additionalProperties": false
}`
const firstSchema: SchemaFormat = { type: 'json_schema', name: 'reply', schema: example, strict: true }

/** Text, JSON, or JSON with a schema. */
export function FormatField({ value }: { value: Format | undefined }) {
  const t = useChatTranslate()
  const id = useId()
  /** The schema last edited here, so that switching the format does not lose it. */
  const [schema, setSchema] = useState(value?.type === 'json_schema' ? value : firstSchema)
  const pick = (type: Format['type'] | 'unset'): void => {
    if (value?.type === 'json_schema') setSchema(value)
    changeParam('responseFormat', type === 'unset' ? undefined : type === 'json_schema' ? schema : { type })
  }
  return (
    <ParamRow
      id={id}
      name={t('paramFormat')}
      wire="response_format"
      set={value !== undefined}
      onReset={() => pick('unset')}
      control={
        <Select
          id={id}
          className="chat-param-select"
          value={value?.type ?? 'unset'}
          onPick={pick}
          choices={[
            { value: 'unset', label: t('notSent') },
            { value: 'text', label: t('format_text') },
            { value: 'json_object', label: t('format_json_object') },
            { value: 'json_schema', label: t('format_json_schema') },
          ]}
        />
      }
    >
      {value?.type === 'json_schema' && <SchemaEditor value={value} />}
      {value?.type === 'json_object' && <p className="chat-faint">{t('formatJsonHint')}</p>}
    </ParamRow>
  )
}

function SchemaEditor({ value }: { value: SchemaFormat }) {
  const t = useChatTranslate()
  const id = useId()
  const [name, setName] = useState(value.name)
  const badName = !/^[\w-]{1,64}$/.test(name)
  const change = (part: Partial<SchemaFormat>): void => changeParam('responseFormat', { ...value, ...part })
  return (
    <div className="chat-schema">
      <Field label={t('schemaName')} error={badName ? t('schemaNameFault') : null}>
        <TextInput
          mono
          value={name}
          maxLength={64}
          onChange={(event) => {
            setName(event.target.value)
            if (/^[\w-]{1,64}$/.test(event.target.value)) change({ name: event.target.value })
          }}
        />
      </Field>
      <JsonText
        id={id}
        label={t('schemaText')}
        value={value.schema}
        placeholder={example}
        faults={faultsOf(value.schema, t)}
        onChange={(schema) => change({ schema: schema.slice(0, 200_000) })}
      />
      <Checkbox
        label={t('schemaStrict')}
        checked={value.strict}
        onChange={(event) => change({ strict: event.target.checked })}
      />
    </div>
  )
}

function faultsOf(text: string, t: ChatTranslate): string[] {
  let schema: unknown
  if (text.trim() === '') return [t('schemaEmpty')]
  try {
    schema = JSON.parse(text)
  } catch {
    return []
  }
  return schemaFaults(schema).map(({ where, is, word }) => {
    const fault = t(`schema_${is}`, { word })
    return where === '' ? fault : t('schemaAt', { where, fault })
  })
}
