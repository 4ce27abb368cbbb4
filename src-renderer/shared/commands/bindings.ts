import { spareOf } from './keys.ts'
import type { Command } from './registry.ts'

/** Keys by command id, where a person changed them; an empty text takes them away (`settings.shortcuts`). */
export type Shortcuts = Readonly<Record<string, string>>
type Commands = ReadonlyMap<string, Command>

/** The keys of a command: the person's own, else those it begins with. Several are parted by a space. */
export function keysOf(command: Pick<Command, 'id' | 'keys'>, shortcuts: Shortcuts): string[] {
  return (shortcuts[command.id] ?? command.keys ?? '').split(' ').filter(Boolean)
}

/**
 * The commands that each combination can mean, by id: the first one that is possible is meant. A person's own keys come before a command's
 * first ones, among equals the one that was offered last. Alt+Shift stands in for Mod behind whatever has that combination itself.
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

/** Commands that have these keys where this one can be meant. Those of another room are in nobody's way. */
export function holdersOf(keys: string, besides: Command, commands: Commands, shortcuts: Shortcuts): Command[] {
  return [...commands.values()].filter(
    (command) =>
      command.id !== besides.id &&
      (command.page === undefined || besides.page === undefined || command.page === besides.page) &&
      keysOf(command, shortcuts).includes(keys),
  )
}

/** The settings after a command got these keys and everything else gave them up. An empty text takes its keys away. */
export function withKeys(command: Command, keys: string, commands: Commands, shortcuts: Shortcuts): Shortcuts {
  const next: Record<string, string> = { ...shortcuts }
  const set = (one: Command, value: string): void => {
    // What is as it was at first needs no note: a later version may begin with other keys.
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

/** The settings after a command went back to its first keys; what has taken those meanwhile gives them up. */
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
