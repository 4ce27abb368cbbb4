import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { Checkbox, Field, TextInput } from '../../../shared/ui/Field.tsx'
import { Form } from '../../../shared/ui/Form.tsx'
import { useCall } from '../../../shared/useCall.ts'
import { useChat } from '../../../stores/chat.ts'
import { useStage } from '../../../stores/chatPage.ts'
import { removePreset, savePreset, usePresets } from '../list/presets.ts'
import { useChatTranslate } from '../messages.ts'
import { setupOf } from '../setup.ts'

const close = (): void => useStage.setState({ dialog: null })

/** Saves the current parameters as a preset, replacing one of the same name, and deletes presets. */
export function PresetDialog() {
  const t = useChatTranslate()
  const open = useStage(({ dialog }) => dialog?.kind === 'presets')
  return (
    <Dialog open={open} onClose={close} title={t('presetSaveTitle')} about={t('presetSaveAbout')}>
      <PresetForm />
      <Kept />
    </Dialog>
  )
}

function PresetForm() {
  const t = useChatTranslate()
  const presets = usePresets()
  const setup = useChat(setupOf)
  const model = useChat((state) => state.model)
  const [name, setName] = useState('')
  const [withModel, setWithModel] = useState(false)
  const [withInstructions, setWithInstructions] = useState(setup.instructions !== '')
  const { busy, run } = useCall()
  const same = presets.find((preset) => preset.name === name.trim())
  const save = async (): Promise<void> => {
    if (name.trim() === '') return
    const saved = await savePreset({
      name: name.trim(),
      model: withModel ? model : null,
      instructions: withInstructions ? setup.instructions : null,
      params: setup.params,
      ...(same ? { id: same.id } : {}),
    })
    if (saved !== null) close()
  }
  return (
    <Form className="flex flex-col gap-3" onSubmit={() => run(save)}>
      <Field label={t('presetName')} hint={same ? t('presetOver', { name: same.name }) : null}>
        <TextInput value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Checkbox
        label={t('presetInstructions')}
        checked={withInstructions}
        disabled={setup.instructions === ''}
        onChange={(event) => setWithInstructions(event.target.checked)}
      />
      <Checkbox
        label={t('presetModel', { model: model ?? t('noModel') })}
        checked={withModel}
        disabled={model === null}
        onChange={(event) => setWithModel(event.target.checked)}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={close}>{t('cancel')}</Button>
        <Button type="submit" variant="primary" busy={busy} disabled={name.trim() === ''}>
          {t(same ? 'presetSaveOver' : 'presetSave')}
        </Button>
      </div>
    </Form>
  )
}

function Kept() {
  const t = useChatTranslate()
  const presets = usePresets()
  if (presets.length === 0) return null
  return (
    <ul className="chat-kept-presets" aria-label={t('presets')}>
      {presets.map(({ id, name }) => (
        <li key={id}>
          <span className="chat-clip">{name}</span>
          <IconButton
            icon={Trash2}
            size="small"
            label={t('presetRemove', { name })}
            onClick={() => void removePreset(id)}
          />
        </li>
      ))}
    </ul>
  )
}
