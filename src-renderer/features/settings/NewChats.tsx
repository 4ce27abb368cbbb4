import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../src-preload/contract/app.ts'
import { Field } from '../../shared/ui/Field.tsx'
import { TextArea } from '../../shared/ui/TextArea.tsx'
import { Group, SettingModel } from './Group.tsx'
import { useSave } from './useSave.ts'

/** The defaults of new chats, and the source of their titles. */
export function NewChats({ settings }: { settings: Settings }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  return (
    <Group title={t('chat.new')} about={t('chat.newAbout')}>
      <SettingModel
        field="newChatModel"
        label={t('chat.newModel')}
        hint={t('chat.newModelHint')}
        none={t('chat.lastUsed')}
      />
      <InstructionsField
        stored={settings.newChatInstructions}
        onSave={(newChatInstructions) => save({ newChatInstructions })}
      />
      <SettingModel
        field="titleModel"
        label={t('chat.titles')}
        hint={t('chat.titlesHint')}
        none={t('chat.titlesOff')}
      />
    </Group>
  )
}

function InstructionsField({ stored, onSave }: { stored: string; onSave: (text: string) => void }) {
  const { t } = useTranslation('settings')
  const [text, setText] = useState(stored)
  // Another window may change the stored text.
  useEffect(() => setText(stored), [stored])
  return (
    <Field label={t('chat.newInstructions')} hint={t('chat.newInstructionsHint')}>
      <TextArea
        value={text}
        maxLength={100_000}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => {
          if (text !== stored) onSave(text)
        }}
      />
    </Field>
  )
}
