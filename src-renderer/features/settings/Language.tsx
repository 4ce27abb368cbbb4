import { useTranslation } from 'react-i18next'
import type { AppState } from '../../../src-preload/contract/app.ts'
import { languages } from '../../i18n/index.ts'
import { pseudoLanguages } from '../../i18n/pseudo.ts'
import { localStore } from '../../shared/storage.ts'
import { Select } from '../../shared/ui/Select.tsx'
import { Group, Row } from './Group.tsx'
import { useSave } from './useSave.ts'

/** `localStorage.developer = 'on'` in the console enables the pseudo languages, which reveal layouts that a translation would break. */
const isDeveloper = (): boolean => localStore.get('developer') === 'on'

/** The window's language. */
export function LanguageSection({ app }: { app: AppState }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  const { language } = app.settings
  const offered = [...languages, ...pseudoLanguages.filter((pseudo) => isDeveloper() || pseudo === language)]
  const choices = offered.map((value) => ({ value, label: t(`language.names.${value}`) }))
  const shown = choices.find(({ value }) => value === language)?.value ?? 'en'
  return (
    <Group>
      <Row name={t('language.name')}>
        <Select
          label={t('language.name')}
          value={shown}
          choices={choices}
          onPick={(picked) => save({ language: picked })}
          className="max-w-full"
        />
      </Row>
    </Group>
  )
}
