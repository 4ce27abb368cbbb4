import { localStore } from '../shared/storage.ts'
import { appStore } from '../stores/app.ts'

const kept = 'theme'

function show(theme: string): void {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
}

/** Shows the theme as it was last, so that no wrong one flashes. */
export const showTheme = (): void => show(localStore.get(kept) ?? 'system')

/** The same, and then as the settings have it. */
export function followTheme(): void {
  showTheme()
  appStore.subscribe(({ app }, before) => {
    const theme = app?.settings.theme
    if (!theme || theme === before.app?.settings.theme) return
    localStore.set(kept, theme)
    show(theme)
  })
}
