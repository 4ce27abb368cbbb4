import { readFileSync, writeFileSync } from 'node:fs'
import type { NativeTheme } from 'electron'
import type { Settings } from '../../../src-preload/contract/app.ts'

const themes: readonly Settings['theme'][] = ['system', 'light', 'dark']

/** The chosen theme in a file of its own, because windows may open before the database does. */
export class ThemeFollower {
  readonly #theme: Pick<NativeTheme, 'themeSource'>
  readonly #file: string
  #current: Settings['theme'] = 'system'

  /** Applies the theme of the last run. */
  constructor(theme: Pick<NativeTheme, 'themeSource'>, file: string) {
    this.#theme = theme
    this.#file = file
    this.#apply(read(file))
  }

  /** Applies a theme to window frames, menus, dialogs and `prefers-color-scheme`. */
  follow(theme: Settings['theme']): void {
    if (theme === this.#current) return
    this.#apply(theme)
    writeFileSync(this.#file, theme, { mode: 0o600 })
  }

  #apply(theme: Settings['theme']): void {
    this.#current = theme
    this.#theme.themeSource = theme
  }
}

function read(file: string): Settings['theme'] {
  try {
    const text = readFileSync(file, 'utf8')
    return themes.find((theme) => theme === text) ?? 'system'
  } catch {
    return 'system' // the first start
  }
}
