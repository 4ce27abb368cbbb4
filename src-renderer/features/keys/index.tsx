import { useEffect } from 'react'
import { i18n } from '../../i18n/index.ts'
import { type Command, offerTranslatedCommands } from '../../shared/commands/registry.ts'
import type { PageRegions } from '../../shared/pageView.ts'
import { KeysList } from './List.tsx'
import { KeysStage } from './Stage.tsx'
import { refreshKeys } from './subscriptions.ts'

const commands = (): Command[] => [
  {
    id: 'keys.refresh',
    title: i18n.t('keys:commands.refresh'),
    group: 'keys',
    page: 'keys',
    run: () => void refreshKeys(),
  },
  {
    id: 'keys.search',
    title: i18n.t('keys:commands.search'),
    group: 'keys',
    page: 'keys',
    keys: 'Mod+F',
    run: () => document.querySelector<HTMLElement>('.keys-search input')?.focus(),
  },
]

/** Registers the page's commands once per window, because Settings lists them on any page. */
export function KeysSubscriptions() {
  useEffect(() => offerTranslatedCommands(commands), [])
  return null
}

export const keysPage: PageRegions = { List: KeysList, Stage: KeysStage }
