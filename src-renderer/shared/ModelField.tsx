import { useTranslation } from 'react-i18next'
import { useChat } from '../stores/chat.ts'
import { mayChat, useModelFacts } from '../stores/modelFacts.ts'
import { Select } from './ui/Select.tsx'

interface ModelFieldProps {
  /** The accessible name, for use outside of a `Field`. */
  label?: string
  /** The label of the choice without a model: `Off` or `Last used`. */
  none: string
  value: string | null
  onPick: (model: string | null) => void
}

/** A chat model of the connection, or none. A stored model that the service does not list stays selectable. */
export function ModelField(props: ModelFieldProps) {
  const { t } = useTranslation('models')
  const models = useChat((state) => state.models.models)
  const facts = useModelFacts()
  const listed = models.map(({ id }) => id)
  const offered = listed.filter((id) => mayChat(id, facts) || id === props.value)
  const unlisted = props.value !== null && !listed.includes(props.value)
  return (
    <Select
      {...(props.label === undefined ? {} : { label: props.label })}
      className="w-56 max-w-full"
      value={props.value ?? ''}
      onPick={(picked) => props.onPick(picked === '' ? null : picked)}
      choices={[
        { value: '', label: props.none },
        ...(unlisted && props.value !== null
          ? [{ value: props.value, label: t('notListed', { model: props.value }) }]
          : []),
        ...offered.map((id) => ({ value: id, label: id })),
      ]}
    />
  )
}
