import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { followLanguage, i18n, loadOtherTexts, startWords } from '../i18n/index.ts'
import { followKeys } from '../shared/commands/dispatch.ts'
import { recallList } from '../shared/listRegion.ts'
import { followHash } from '../shared/navigation.ts'
import { whenStorageFails } from '../shared/storage.ts'
import { StudioContext } from '../shared/studioContext.ts'
import { showToast } from '../shared/toasts.ts'
import { ignoreStrayDrops } from '../shared/ui/useFileDrop.ts'
import { App } from './App.tsx'
import { followAppearance } from './appearance.ts'
import { followPresses } from './presses.ts'
import { offerConnectionCommands } from './shell/connectionCommands.ts'
import { offerSettingsCommands } from './shell/settingsCommands.ts'
import { offerShellCommands } from './shell/shortcuts.ts'
import { type StudioApi, startSubscriptions } from './subscriptions.ts'

/** Renders the window and starts its subscriptions. Call once per page. */
export async function startWindow(api: StudioApi, root: HTMLElement): Promise<void> {
  const forever = new AbortController().signal
  followAppearance()
  ignoreStrayDrops(forever)
  followPresses(forever)
  followHash(forever)
  recallList()
  await startWords()
  followLanguage(() => showToast({ id: 'language', text: i18n.t('settings:language.failed') }))
  whenStorageFails(() => showToast({ id: 'storage', text: i18n.t('common:storageFailed') }))
  offerShellCommands(forever)
  offerConnectionCommands(api.client, forever)
  offerSettingsCommands(api.client, forever)
  followKeys(forever)
  startSubscriptions(api)
  createRoot(root).render(
    <StrictMode>
      <StudioContext value={api.client}>
        <App />
      </StudioContext>
    </StrictMode>,
  )
  // After the first paint.
  requestAnimationFrame(() => setTimeout(() => void loadOtherTexts()))
}
