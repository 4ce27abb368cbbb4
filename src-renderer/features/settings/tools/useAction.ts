import type { Client } from '../../../api/connect.ts'
import { problemOf } from '../../../api/problem.ts'
import { joinSentences } from '../../../i18n/format.ts'
import { useStudio } from '../../../shared/studioContext.ts'
import { showToast } from '../../../shared/toasts.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'

/** Runs a call and shows a failure as a toast. Resolves to true on success. */
export function useAction(): (ask: (client: Client) => Promise<unknown>) => Promise<boolean> {
  const studio = useStudio()
  const t = useToolTranslate()
  return async (ask) => {
    try {
      await ask(studio)
      return true
    } catch (thrown) {
      const text = joinSentences([t('settings.failed'), problemOf(thrown).message])
      showToast({ id: 'settings-tools', text })
      return false
    }
  }
}
