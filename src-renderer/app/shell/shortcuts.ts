import { focusComposer } from '../../features/chat/focus.ts'
import { showChat } from '../../features/chat/list/actions.ts'
import { i18n } from '../../i18n/index.ts'
import { showLayer } from '../../shared/commands/layers.ts'
import { type Command, offerTranslatedCommands } from '../../shared/commands/registry.ts'
import { openHelp } from '../../shared/help/store.ts'
import { toggleList } from '../../shared/listRegion.ts'
import { returnTo } from '../../shared/navigation.ts'
import { alertsStore } from '../../stores/alerts.ts'
import { appStore } from '../../stores/app.ts'
import { pageNames } from '../../stores/route.ts'

/** Commands of the window itself, available on every page, in the language of the window. */
export function shellCommands(): Command[] {
  return [
    {
      id: 'view.palette',
      title: i18n.t('palette:commands.palette'),
      group: 'view',
      keys: 'Mod+K',
      keepsDrawers: true,
      run: () => showLayer('palette'),
    },
    {
      id: 'view.shortcuts',
      title: i18n.t('palette:commands.shortcuts'),
      group: 'view',
      keys: 'Mod+/ ?',
      run: () => showLayer('shortcuts'),
    },
    {
      id: 'view.guide',
      title: i18n.t('help:open'),
      group: 'view',
      run: () => openHelp(),
    },
    {
      id: 'chat.new',
      title: i18n.t('palette:commands.newChat'),
      group: 'chat',
      keys: 'Mod+N',
      run: () => {
        showChat(null)
        // Needed when an empty chat is already open: then the route does not change, and nothing else moves the focus.
        focusComposer()
      },
    },
    {
      id: 'view.list',
      title: i18n.t('palette:commands.list'),
      group: 'view',
      keys: 'Mod+B',
      keepsDrawers: true,
      run: toggleList,
    },
    {
      id: 'view.inspector',
      title: i18n.t('palette:commands.inspector'),
      group: 'view',
      keys: 'Mod+.',
      keepsDrawers: true,
      run: () => appStore.setState(({ inspectorShown }) => ({ inspectorShown: !inspectorShown })),
    },
    {
      id: 'view.alerts',
      title: i18n.t('palette:commands.alerts'),
      group: 'view',
      // Opens the list after the palette has closed: the closing palette restores the focus, which would close the list.
      run: () => setTimeout(() => alertsStore.setState({ shown: true })),
    },
    ...pageNames.map(
      (page, at): Command => ({
        id: `go.${page}`,
        title: i18n.t('palette:commands.goTo', { page: i18n.t(`shell:pages.${page}`) }),
        group: 'go',
        keys: page === 'settings' ? `Mod+${at + 1} Mod+,` : `Mod+${at + 1}`,
        run: () => returnTo(page),
      }),
    ),
  ]
}

/** Offers the commands until the signal aborts. */
export function offerShellCommands(signal: AbortSignal): void {
  const stop = offerTranslatedCommands(shellCommands)
  signal.addEventListener('abort', stop)
}
