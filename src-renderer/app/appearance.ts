import { type Settings, settings } from '../../src-preload/contract/app.ts'
import { localStore } from '../shared/storage.ts'
import { appStore } from '../stores/app.ts'

const storageKey = 'appearance'
const appearance = settings.pick({ theme: true, fontSize: true, density: true })
type Appearance = Pick<Settings, 'theme' | 'fontSize' | 'density'>

function show({ theme, fontSize, density }: Appearance): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
  dataset.fontSize = fontSize
  dataset.density = density
}

/** Applies the stored appearance of the last run before the settings arrive, so that the default theme does not flash. */
export function showAppearance(): void {
  const last = appearance.safeParse(localStore.getJson(storageKey)).data
  if (last) show(last)
}

/** Applies the appearance from the settings, and the stored one until the settings arrive. */
export function followAppearance(): void {
  showAppearance()
  let applied = ''
  appStore.subscribe(({ app }) => {
    if (!app) return
    const { theme, fontSize, density } = app.settings
    const wanted = { theme, fontSize, density }
    const text = JSON.stringify(wanted)
    if (text === applied) return
    applied = text
    localStore.set(storageKey, text)
    show(wanted)
  })
}
