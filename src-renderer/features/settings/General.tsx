import { Monitor, Moon, Sun } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { AppState, Settings } from '../../../src-preload/contract/app.ts'
import { ShortcutList } from '../../shared/commands/ShortcutList.tsx'
import { isMac, shortcut } from '../../shared/ui/platform.ts'
import { Segmented } from '../../shared/ui/Segmented.tsx'
import { Switch } from '../../shared/ui/Switch.tsx'
import { Group, Row } from './Group.tsx'
import { NewChats } from './NewChats.tsx'
import { QuickPromptSettings } from './QuickPrompt.tsx'
import { useSave } from './useSave.ts'

interface SectionProps {
  app: AppState
}

const sizes: readonly Settings['fontSize'][] = ['small', 'normal', 'large', 'largest']
const densities: readonly Settings['density'][] = ['comfortable', 'compact']

export function AppearanceSection({ app: { settings } }: SectionProps) {
  const { t } = useTranslation('settings')
  const save = useSave()
  return (
    <Group>
      <Row name={t('appearance.theme')}>
        <Segmented
          label={t('appearance.theme')}
          value={settings.theme}
          onChange={(theme) => save({ theme })}
          segments={[
            { value: 'system', label: t('appearance.system'), icon: Monitor },
            { value: 'light', label: t('appearance.light'), icon: Sun },
            { value: 'dark', label: t('appearance.dark'), icon: Moon },
          ]}
        />
      </Row>
      <Row name={t('appearance.fontSize')} hint={t('appearance.fontSizeHint')}>
        <Segmented
          label={t('appearance.fontSize')}
          value={settings.fontSize}
          onChange={(fontSize) => save({ fontSize })}
          segments={sizes.map((value) => ({ value, label: t(`appearance.sizes.${value}`) }))}
        />
      </Row>
      <Row name={t('appearance.density')} hint={t('appearance.densityHint')}>
        <Segmented
          label={t('appearance.density')}
          value={settings.density}
          onChange={(density) => save({ density })}
          segments={densities.map((value) => ({ value, label: t(`appearance.densities.${value}`) }))}
        />
      </Row>
    </Group>
  )
}

export function ChatSection({ app: { host, settings } }: SectionProps) {
  const { t } = useTranslation('settings')
  const save = useSave()
  return (
    <>
      <Group>
        <Row name={t('chat.sendKey')} hint={t('chat.sendKeyHint')}>
          <Segmented
            label={t('chat.sendKey')}
            value={settings.sendKey}
            onChange={(sendKey) => save({ sendKey })}
            segments={[
              { value: 'enter', label: 'Enter' },
              { value: 'mod-enter', label: shortcut('Enter') },
            ]}
          />
        </Row>
        {host === 'desktop' && !isMac && (
          <Row name={t('chat.spellcheck')} hint={t('chat.spellcheckHint')}>
            <Switch
              label={t('chat.spellcheck')}
              checked={settings.spellcheck}
              onChange={(spellcheck) => save({ spellcheck })}
            />
          </Row>
        )}
        <Row name={t('chat.bodies')} hint={t('chat.bodiesHint', { count: settings.bodyDays })}>
          <Switch
            label={t('chat.bodies')}
            checked={settings.chatBodies}
            onChange={(chatBodies) => save({ chatBodies })}
          />
        </Row>
      </Group>
      <NewChats settings={settings} />
    </>
  )
}

export function ShortcutsSection({ app: { host, settings } }: SectionProps) {
  return (
    <>
      {host === 'desktop' && <QuickPromptSettings settings={settings} />}
      <Group>
        <ShortcutList />
      </Group>
    </>
  )
}
