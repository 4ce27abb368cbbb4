import { useTranslation } from 'react-i18next'
import type { AppState } from '../../../src-preload/contract/app.ts'
import { languages } from '../../i18n/index.ts'
import { pseudoLanguages } from '../../i18n/pseudo.ts'
import { Select } from '../../shared/ui/Select.tsx'
import { Row } from './Row.tsx'
import { useSave } from './useSave.ts'

/** The window's language. The pseudo languages find what a translation would break. */
export function LanguageSection({ app }: { app: AppState }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  const choices = [...languages, ...pseudoLanguages].map((value) => ({ value, label: t(`language.names.${value}`) }))
  const { language } = app.settings
  const shown = choices.find(({ value }) => value === language)?.value ?? 'en'
  return (
    <Row name={t('language.name')} hint={t('language.hint')}>
      <Select
        label={t('language.name')}
        value={shown}
        choices={choices}
        onPick={(picked) => save({ language: picked })}
        className="max-w-full"
      />
    </Row>
  )
}
