import type { Client } from '../../../api/connect.ts'
import { problemOf } from '../../../api/problem.ts'
import { useStudio } from '../../../shared/studioContext.ts'
import { showToast } from '../../../shared/toasts.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'

/** Asks the core for something; what it refuses is said in a note. True when it was done. */
export function useAction(): (ask: (client: Client) => Promise<unknown>) => Promise<boolean> {
  const studio = useStudio()
  const t = useToolTranslate()
  return async (ask) => {
    try {
      await ask(studio)
      return true
    } catch (thrown) {
      const text = `${t('settings.notDone')} ${problemOf(thrown).message}`
      showToast({ id: 'settings-tools', text })
      return false
    }
  }
}
