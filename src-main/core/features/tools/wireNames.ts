import { createHash } from 'node:crypto'

/** Maximum length of `tools[].function.name`. */
const maxNameLength = 64

/**
 * Converts text to the characters that function names allow. Letters of other scripts are dropped; title and
 * description still have them.
 */
function plain(words: string, otherwise: string): string {
  const bare = words
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return bare || otherwise
}

function joined(server: string, tool: string): string {
  const last = plain(tool, 'tool').slice(0, maxNameLength)
  const free = maxNameLength - last.length - 1
  const first = free > 0 ? plain(server, 'server').slice(0, free) : ''
  return first ? `${first}_${last}` : last
}

/** A tool that needs a name: its id, and the names of its server and of the tool there. */
export interface ToolToName {
  id: string
  server: string
  tool: string
}

/**
 * Names for the model, by tool id: server and tool name. All names differ from each other and from `taken`. If several tools would share
 * a name, each name gets a part of the hash of the tool id. Names therefore do not depend on the order in which servers start.
 */
export function sentNames(tools: readonly ToolToName[], taken: ReadonlySet<string>): Map<string, string> {
  const wanted = new Map(tools.map(({ id, server, tool }) => [id, joined(server, tool)]))
  const times = new Map<string, number>()
  for (const name of wanted.values()) times.set(name, (times.get(name) ?? 0) + 1)
  const given = new Map<string, string>()
  const used = new Set(taken)
  for (const [id, name] of wanted) {
    if (times.get(name) !== 1 || used.has(name)) continue
    used.add(name)
    given.set(id, name)
  }
  for (const [id, name] of [...wanted].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (given.has(id)) continue
    const hash = createHash('sha256').update(id).digest('hex')
    let length = 6
    let unique = ''
    do unique = `${name.slice(0, maxNameLength - length - 1)}_${hash.slice(0, length)}`
    while (used.has(unique) && length++ < 60)
    used.add(unique)
    given.set(id, unique)
  }
  return given
}
