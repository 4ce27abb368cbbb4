import type { SavedProfile } from '../../../src-preload/contract/app.ts'
import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { i18n } from '../../i18n/index.ts'
import { navigate } from '../navigation.ts'
import { showToast } from '../toasts.ts'

/** Switches the connection. All callers share this failure text: the old connection stays active, and Settings offers the next step. */
export function switchTo(client: Client, { id, name }: Pick<SavedProfile, 'id' | 'name'>): Promise<boolean> {
  const settings = () => navigate({ page: 'settings', id: 'connection' })
  const asked = client.connection.use({ id })
  return asked.then(
    () => true,
    (thrown: unknown) => {
      const text = i18n.t('connect:switch.failed', { name, why: problemOf(thrown).message })
      const action = { label: i18n.t('connect:switch.settings'), onClick: settings }
      showToast({ id: 'switch', text, action })
      return false
    },
  )
}
