import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../src-preload/contract/app.ts'
import { problemOf } from '../../api/problem.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { showToast } from '../../shared/toasts.ts'

/** Saves immediately. The state updates through its subscription. A failure shows a toast. */
export function useSave(): (change: Partial<Settings>) => void {
  const studio = useStudio()
  const { t } = useTranslation('settings')
  return (change) => {
    studio.app.updateSettings(change).catch((thrown: unknown) => {
      const text = `${t('notSaved')} ${problemOf(thrown).message}`
      showToast({ id: 'settings', text })
    })
  }
}
