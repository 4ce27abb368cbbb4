import { localStore } from '../shared/storage.ts'
import { appStore } from '../stores/app.ts'

const kept = 'theme'

function show(theme: string): void {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
}

/** Applies the last used theme before the settings arrive, so that the wrong theme does not flash. */
export const showTheme = (): void => show(localStore.get(kept) ?? 'system')

/** Applies the last used theme, then the theme of the settings. */
export function followTheme(): void {
  showTheme()
  appStore.subscribe(({ app }, before) => {
    const theme = app?.settings.theme
    if (!theme || theme === before.app?.settings.theme) return
    localStore.set(kept, theme)
    show(theme)
  })
}
