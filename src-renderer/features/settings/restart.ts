import type { Client } from '../../api/connect.ts'
import { navigate } from '../../shared/navigation.ts'

/**
 * Restarts the program and reloads this page, which waits for the program. The desktop application closes the window and opens a new one.
 * @returns false when the person must restart the program
 */
export async function restartWith(ask: () => ReturnType<Client['data']['restart']>): Promise<boolean> {
  const { restarting } = await ask()
  if (!restarting) return false
  // The item on this page may no longer exist.
  navigate({ page: 'chat', id: null }, { replace: true })
  location.reload()
  return true
}
