import { Monitor, Moon, Sun } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { AppState, Settings } from '../../../src-preload/contract/app.ts'
import { ShortcutList } from '../../shared/commands/ShortcutList.tsx'
import { isMac, shortcut } from '../../shared/ui/platform.ts'
import { Group, SettingSegments, SettingSwitch } from './Group.tsx'
import { NewChats } from './NewChats.tsx'
import { QuickPromptSettings } from './QuickPrompt.tsx'
import { TextActionsSettings } from './TextActions.tsx'

interface SectionProps {
  app: AppState
}

const sizes: readonly Settings['fontSize'][] = ['small', 'normal', 'large', 'largest']
const densities: readonly Settings['density'][] = ['comfortable', 'compact']

export function AppearanceSection() {
  const { t } = useTranslation('settings')
  return (
    <Group>
      <SettingSegments
        field="theme"
        label={t('appearance.theme')}
        segments={[
          { value: 'system', label: t('appearance.system'), icon: Monitor },
          { value: 'light', label: t('appearance.light'), icon: Sun },
          { value: 'dark', label: t('appearance.dark'), icon: Moon },
        ]}
      />
      <SettingSegments
        field="fontSize"
        label={t('appearance.fontSize')}
        hint={t('appearance.fontSizeHint')}
        segments={sizes.map((value) => ({ value, label: t(`appearance.sizes.${value}`) }))}
      />
      <SettingSegments
        field="density"
        label={t('appearance.density')}
        hint={t('appearance.densityHint')}
        segments={densities.map((value) => ({ value, label: t(`appearance.densities.${value}`) }))}
      />
    </Group>
  )
}

export function ChatSection({ app: { host, settings } }: SectionProps) {
  const { t } = useTranslation('settings')
  return (
    <>
      <Group>
        <SettingSegments
          field="sendKey"
          label={t('chat.sendKey')}
          hint={t('chat.sendKeyHint')}
          segments={[
            { value: 'enter', label: 'Enter' },
            { value: 'mod-enter', label: shortcut('Enter') },
          ]}
        />
        {host === 'desktop' && !isMac && (
          <SettingSwitch field="spellcheck" label={t('chat.spellcheck')} hint={t('chat.spellcheckHint')} />
        )}
        <SettingSwitch field="readSentences" label={t('chat.readSentences')} hint={t('chat.readSentencesHint')} />
        <SettingSwitch field="thinkTags" label={t('chat.thinkTags')} hint={t('chat.thinkTagsHint')} />
        <SettingSwitch
          field="chatBodies"
          label={t('chat.bodies')}
          hint={t('chat.bodiesHint', { count: settings.bodyDays })}
        />
      </Group>
      <NewChats settings={settings} />
      <TextActionsSettings settings={settings} />
    </>
  )
}

export function ShortcutsSection({ app: { host, settings } }: SectionProps) {
  return (
    <>
      {host === 'desktop' && <QuickPromptSettings settings={settings} />}
      <Group>
        <ShortcutList heading="h2" />
      </Group>
    </>
  )
}
