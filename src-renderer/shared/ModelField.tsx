import { type ComponentProps, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Model } from '../../src-preload/contract/models.ts'
import { useChat } from '../stores/chat.ts'
import { mayChat, useModelFacts } from '../stores/modelFacts.ts'
import { type Choice, Select } from './ui/Select.tsx'

type ModelSelectProps = Omit<ComponentProps<typeof Select>, 'choices' | 'value' | 'onPick'> & {
  value: string
  /** Choices before the models. */
  first?: readonly Choice<string>[]
  /** The models to choose from. Absent: the connection's. */
  among?: readonly string[]
  onPick: (model: string) => void
}

const showTests = 'show test models'

/** Whether the sandbox lists the model only to order a fault, such as `fault/500`. */
export const isTestModel = ({ ownedBy }: Pick<Model, 'ownedBy'>): boolean => ownedBy === 'sandbox-faults'

/** A choice among the chat models. The sandbox's fault models follow after "Show test models". The chosen model is always there. */
export function ModelSelect({ value, first = [], among, onPick, ...select }: ModelSelectProps) {
  const { t } = useTranslation('models')
  const listed = useChat((state) => state.models.models)
  const facts = useModelFacts()
  const [withTests, setWithTests] = useState(false)
  const tests = new Set(listed.filter(isTestModel).map(({ id }) => id))
  const chat = (among ?? listed.map(({ id }) => id)).filter((id) => mayChat(id, facts))
  const shown = chat.filter((id) => withTests || !tests.has(id))
  const isHidden = value !== '' && !shown.includes(value) && !first.some((choice) => choice.value === value)
  const models = isHidden ? [value, ...shown] : shown
  return (
    <Select
      {...select}
      value={value}
      onPick={(picked) => (picked === showTests ? setWithTests(true) : onPick(picked))}
      choices={[
        ...first,
        ...models.map((id) => ({ value: id, label: id })),
        ...(shown.length < chat.length
          ? [{ value: showTests, label: t('showTests', { count: chat.length - shown.length }) }]
          : []),
      ]}
    />
  )
}

interface ModelFieldProps {
  /** The accessible name, for use outside of a `Field`. */
  label?: string
  /** The label of the choice without a model: `Off` or `Last used`. */
  none: string
  value: string | null
  onPick: (model: string | null) => void
}

/** A chat model of the connection, or none. A stored model that the service does not list stays selectable. */
export function ModelField({ none, value, onPick, ...label }: ModelFieldProps) {
  const { t } = useTranslation('models')
  const listed = useChat((state) => state.models.models)
  const isUnlisted = value !== null && !listed.some(({ id }) => id === value)
  return (
    <ModelSelect
      {...label}
      className="w-56 max-w-full"
      value={value ?? ''}
      onPick={(picked) => onPick(picked === '' ? null : picked)}
      first={[{ value: '', label: none }, ...(isUnlisted ? [{ value, label: t('notListed', { model: value }) }] : [])]}
    />
  )
}
