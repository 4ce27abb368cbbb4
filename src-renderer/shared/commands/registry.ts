import { createStore } from 'zustand/vanilla'
import { i18n } from '../../i18n/index.ts'
import { type PageName, routeStore } from '../../stores/route.ts'

/** Headings of commands, in the order in which palette and settings show them. */
export const groups = [
  'chat',
  'conversation',
  'message',
  'speech',
  'transcribe',
  'images',
  'usage',
  'keys',
  'go',
  'connection',
  'view',
  'settings',
] as const

/** Something that a person can do, from the palette, by keys, or from a menu. */
export interface Command {
  /** Such as `chat.new`; keys that a person chose are kept under it. */
  id: string
  /** In the window's language, as it is shown now. */
  title: string
  /** Under which heading the palette shows it. */
  group: (typeof groups)[number]
  /** The one room in which it can be meant; two rooms can have the same keys for their own. Everywhere if absent. */
  page?: PageName
  /** Keys to begin with, such as `Mod+Shift+F`; Mod is Cmd on a Mac and Ctrl elsewhere. */
  keys?: string
  /** False while it makes no sense; then neither keys nor palette run it. */
  when?: () => boolean
  run: () => void
}

/** Whether it makes sense now, where the person is. */
export const isPossible = ({ page: feature, when }: Command): boolean =>
  (feature === undefined || feature === routeStore.getState().route.page) && (!when || when())

/** By id, in the order of their coming. */
export const commandStore = createStore<{ commands: ReadonlyMap<string, Command> }>(() => ({ commands: new Map() }))

/** Offers commands until the answer is called; one with an id that is there already takes its place. */
export function offerCommands(commands: readonly Command[]): () => void {
  commandStore.setState(({ commands: before }) => {
    const after = new Map(before)
    for (const command of commands) after.set(command.id, command)
    return { commands: after }
  })
  return () =>
    commandStore.setState(({ commands: before }) => {
      const after = new Map(before)
      for (const command of commands) if (after.get(command.id) === command) after.delete(command.id)
      return { commands: after }
    })
}

/** Offers them, and again in other words when the language changes; the answer ends it. */
export function offerTranslatedCommands(commands: () => readonly Command[]): () => void {
  let stop = offerCommands(commands())
  const again = (): void => {
    stop()
    stop = offerCommands(commands())
  }
  i18n.on('languageChanged', again)
  return () => {
    i18n.off('languageChanged', again)
    stop()
  }
}
