import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../src-preload/contract/app.ts'
import { problemOf } from '../../api/problem.ts'
import { joinSentences } from '../../i18n/format.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { showToast } from '../../shared/toasts.ts'
import { useApp } from '../../stores/app.ts'

/** Saves immediately. The state updates through its subscription. A failure shows a toast. */
export function useSave(): (change: Partial<Settings>) => void {
  const studio = useStudio()
  const { t } = useTranslation('settings')
  return (change) => {
    studio.app.updateSettings(change).catch((thrown: unknown) => {
      const text = joinSentences([t('notSaved'), problemOf(thrown).message])
      showToast({ id: 'settings', text })
    })
  }
}

/** The value of one setting, or undefined before the core's first event. */
export const useSetting = <Name extends keyof Settings>(name: Name): Settings[Name] | undefined =>
  useApp(({ app }) => app?.settings[name])
