import type { Client } from '../../api/connect.ts'
import { i18n } from '../../i18n/index.ts'
import { type Command, offerTranslatedCommands } from '../../shared/commands/registry.ts'
import { switchTo } from '../../shared/connect/switch.ts'
import { navigate } from '../../shared/navigation.ts'
import { appStore } from '../../stores/app.ts'

const others = () => (appStore.getState().app?.profiles ?? []).filter(({ active }) => !active)

const commands = (client: Client): Command[] => [
  ...others().map(
    (profile): Command => ({
      id: `connection.use.${profile.id}`,
      title: i18n.t('palette:commands.switchTo', { name: profile.name }),
      group: 'connection',
      run: () => void switchTo(client, profile),
    }),
  ),
  {
    id: 'connection.manage',
    title: i18n.t('palette:commands.connections'),
    group: 'connection',
    run: () => navigate({ page: 'settings', id: 'connection' }),
  },
]

/** Offers one command per connection that is not active, and updates them until the signal aborts. */
export function offerConnectionCommands(client: Client, signal: AbortSignal): void {
  const shown = () =>
    others()
      .map(({ id, name }) => `${id} ${name}`)
      .join('\n')
  let offered = shown()
  let stop = offerTranslatedCommands(() => commands(client))
  const unfollow = appStore.subscribe(() => {
    const now = shown()
    if (now === offered) return
    offered = now
    stop()
    stop = offerTranslatedCommands(() => commands(client))
  })
  signal.addEventListener('abort', () => {
    unfollow()
    stop()
  })
}
