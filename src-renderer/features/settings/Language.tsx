import { useTranslation } from 'react-i18next'
import type { AppState } from '../../../src-preload/contract/app.ts'
import { languages } from '../../i18n/index.ts'
import { nameOf, pickLanguage, systemLanguage } from '../../i18n/language.ts'
import { Select } from '../../shared/ui/Select.tsx'
import { Group, Row } from './Group.tsx'
import { useSave } from './useSave.ts'

/** The language of the program. Each has its own name, so that a person finds it in a window that they can't read. */
export function LanguageSection({ app }: { app: AppState }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  const { language } = app.settings
  const system = nameOf(pickLanguage(systemLanguage, navigator.languages, languages))
  const choices = [
    { value: systemLanguage, label: t('language.system', { language: system }) },
    ...languages.map((value) => ({ value, label: nameOf(value) })).sort((a, b) => a.label.localeCompare(b.label)),
  ]
  return (
    <Group>
      <Row name={t('language.name')}>
        <Select
          label={t('language.name')}
          value={languages.includes(language) ? language : systemLanguage}
          choices={choices}
          onPick={(picked) => save({ language: picked })}
          className="max-w-full"
        />
      </Row>
    </Group>
  )
}
