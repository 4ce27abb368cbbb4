import { useEffect } from 'react'
import { type Command, offerInWords } from '../../commands/registry.ts'
import { i18n } from '../../i18n/index.ts'
import type { RoomView } from '../../room.ts'
import { KeysList } from './List.tsx'
import { refreshKeys } from './live.ts'
import { KeysStage } from './Stage.tsx'

const commands = (): Command[] => [
  {
    ...{ id: 'keys.refresh', title: i18n.t('keys:commands.refresh'), group: 'keys', room: 'keys' },
    run: () => void refreshKeys(),
  },
  {
    ...{ id: 'keys.search', title: i18n.t('keys:commands.search'), group: 'keys', room: 'keys', keys: 'Mod+F' },
    run: () => document.querySelector<HTMLElement>('.keys-search input')?.focus(),
  },
]

/** Offers the room's commands once for the window: Settings lists them from anywhere. */
export function KeysLive() {
  useEffect(() => offerInWords(commands), [])
  return null
}

export const keysRoom: RoomView = { List: KeysList, Stage: KeysStage }
