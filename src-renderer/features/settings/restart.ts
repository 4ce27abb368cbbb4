import type { Client } from '../../api/connect.ts'
import { navigate } from '../../shared/navigation.ts'

/**
 * Restarts the program and loads this page anew, which waits for it. The desktop application closes the window and opens another one.
 * @returns false where the person must restart it
 */
export async function restartWith(ask: () => ReturnType<Client['data']['restart']>): Promise<boolean> {
  const { restarting } = await ask()
  if (!restarting) return false
  // What this page showed may not exist any more.
  navigate({ page: 'chat', id: null }, { replace: true })
  location.reload()
  return true
}
