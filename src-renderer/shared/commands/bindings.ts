import { spareOf } from './keys.ts'
import type { Command } from './registry.ts'

/** Shortcuts that the person changed, by command id. An empty text removes the shortcut (`settings.shortcuts`). */
export type Shortcuts = Readonly<Record<string, string>>
type Commands = ReadonlyMap<string, Command>

/** The shortcuts of a command: the person's own, otherwise the defaults. Several are separated by spaces. */
export function keysOf(command: Pick<Command, 'id' | 'keys'>, shortcuts: Shortcuts): string[] {
  return (shortcuts[command.id] ?? command.keys ?? '').split(' ').filter(Boolean)
}

/**
 * The command ids for each combination. The first possible command runs. The person's own shortcuts precede defaults, and later offers
 * precede earlier ones. Alt+Shift replaces Mod, with the lowest priority.
 */
export function bindings(commands: Commands, shortcuts: Shortcuts): Map<string, string[]> {
  const own = new Map<string, string[]>()
  const first = new Map<string, string[]>()
  const spare = new Map<string, string[]>()
  const put = (into: Map<string, string[]>, keys: string, id: string): void =>
    void into.set(keys, [id, ...(into.get(keys) ?? [])])
  for (const command of commands.values()) {
    for (const keys of keysOf(command, shortcuts)) {
      put(shortcuts[command.id] === undefined ? first : own, keys, command.id)
      const instead = spareOf(keys)
      if (instead !== null) put(spare, instead, command.id)
    }
  }
  const all = new Map<string, string[]>()
  for (const one of [own, first, spare]) {
    for (const [keys, ids] of one) all.set(keys, [...(all.get(keys) ?? []), ...ids])
  }
  return all
}

/** Commands with this combination that could conflict. Commands of another page do not conflict. */
export function holdersOf(keys: string, besides: Command, commands: Commands, shortcuts: Shortcuts): Command[] {
  return [...commands.values()].filter(
    (command) =>
      command.id !== besides.id &&
      (command.page === undefined || besides.page === undefined || command.page === besides.page) &&
      keysOf(command, shortcuts).includes(keys),
  )
}

/**
 * The settings after a command received a combination, which is removed from all other commands. An empty text removes the command's
 * shortcut.
 */
export function withKeys(command: Command, keys: string, commands: Commands, shortcuts: Shortcuts): Shortcuts {
  const next: Record<string, string> = { ...shortcuts }
  const set = (one: Command, value: string): void => {
    // A default is not stored, because a later version may have another default.
    if (value === (one.keys ?? '')) delete next[one.id]
    else next[one.id] = value
  }
  if (keys !== '') {
    for (const other of holdersOf(keys, command, commands, shortcuts)) {
      set(
        other,
        keysOf(other, shortcuts)
          .filter((one) => one !== keys)
          .join(' '),
      )
    }
  }
  set(command, keys)
  return next
}

/** The settings after a command returned to its default, which is removed from all other commands. */
export function withoutOwnKeys(command: Command, commands: Commands, shortcuts: Shortcuts): Shortcuts {
  let next: Shortcuts = Object.fromEntries(Object.entries(shortcuts).filter(([id]) => id !== command.id))
  for (const keys of keysOf(command, next)) {
    for (const other of holdersOf(keys, command, commands, next)) {
      const rest = keysOf(other, next).filter((one) => one !== keys)
      next = { ...next, [other.id]: rest.join(' ') }
    }
  }
  return next
}
