import { Monitor, Moon, Sun } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { AppState } from '../../../src-preload/contract/app.ts'
import { KeyValue } from '../../shared/ui/KeyValue.tsx'
import { Segmented } from '../../shared/ui/Segmented.tsx'
import { Row } from './Row.tsx'
import { useSave } from './useSave.ts'

export function AppearanceSection({ app }: { app: AppState }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  return (
    <Row name={t('appearance.theme')}>
      <Segmented
        label={t('appearance.theme')}
        value={app.settings.theme}
        onChange={(theme) => save({ theme })}
        segments={[
          { value: 'system', label: t('appearance.system'), icon: Monitor },
          { value: 'light', label: t('appearance.light'), icon: Sun },
          { value: 'dark', label: t('appearance.dark'), icon: Moon },
        ]}
      />
    </Row>
  )
}

export function AboutSection({ app }: { app: AppState }) {
  const { t } = useTranslation('settings')
  return (
    <KeyValue
      rows={[
        { id: 'version', name: t('about.version'), value: app.version },
        { id: 'host', name: t('about.host'), value: t(`about.${app.host}`) },
        { id: 'licence', name: t('about.licence'), value: t('about.licenceLine') },
      ]}
    />
  )
}
