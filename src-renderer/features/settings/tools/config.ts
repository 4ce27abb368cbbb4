import { type JsonFault, jsonFault } from '../../../shared/ui/jsonFault.ts'
import { linesOf, newServer, type ServerForm, secretRow } from './serverForm.ts'

/** A server of an imported configuration, and what could not be imported. */
export interface ReadServer {
  form: ServerForm
  /** Names whose values are placeholders such as `${input:token}`. The person must enter them. */
  blanks: string[]
}
export interface LeftOut {
  name: string
  why: 'noCommand' | 'badUrl' | 'notObject' | 'sse'
}
export interface ReadConfig {
  json: JsonFault | null
  servers: ReadServer[]
  leftOut: LeftOut[]
}

type Entry = Record<string, unknown>
const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null && !Array.isArray(value)
const most = 50

/**
 * Reads servers from another program's configuration: `mcpServers` (most programs), `servers` or `mcp.servers` (VS Code), `context_servers`
 * (Zed), only the inner part, or a single server. Starts and loads nothing.
 */
export function readConfig(text: string): ReadConfig {
  const json = jsonFault(text)
  if (json) return { json, servers: [], leftOut: [] }
  const root: unknown = JSON.parse(text)
  const read: ReadConfig = { json: null, servers: [], leftOut: [] }
  for (const [name, entry] of Object.entries(serversIn(root)).slice(0, most)) {
    const one = readEntry(name, entry)
    if ('why' in one) read.leftOut.push(one)
    else read.servers.push(one)
  }
  return read
}

function serversIn(root: unknown): Entry {
  if (!isEntry(root)) return {}
  for (const name of ['mcpServers', 'servers', 'context_servers']) {
    const group = root[name]
    if (isEntry(group)) return group
  }
  if (isEntry(root.mcp)) return serversIn(root.mcp)
  if (isServer(root)) return { '': root }
  return Object.fromEntries(Object.entries(root).filter(([, value]) => isServer(value)))
}

const isServer = (value: unknown): boolean => isEntry(value) && ('command' in value || addressOf(value) !== undefined)
const addressOf = (entry: Entry): unknown => entry.url ?? entry.serverUrl ?? entry.httpUrl

function readEntry(name: string, entry: unknown): ReadServer | LeftOut {
  if (!isEntry(entry)) return { name, why: 'notObject' }
  const called = name.trim().slice(0, 60)
  const address = addressOf(entry)
  if (address !== undefined) {
    if (entry.type === 'sse') return { name, why: 'sse' }
    if (typeof address !== 'string' || !/^https?:\/\//i.test(address) || !URL.canParse(address))
      return { name, why: 'badUrl' }
    const { rows, blanks } = secretsIn(entry.headers)
    const form: ServerForm = {
      ...newServer,
      name: called || new URL(address).hostname.slice(0, 60),
      kind: 'http',
      url: address,
      headers: rows,
    }
    return { form, blanks }
  }
  const program = commandIn(entry)
  if (program === null) return { name, why: 'noCommand' }
  const { rows, blanks } = secretsIn(entry.env ?? (isEntry(entry.command) ? entry.command.env : undefined))
  const form: ServerForm = {
    ...newServer,
    name: called || (program.command.split(/[\\/]/).at(-1) ?? '').slice(0, 60),
    command: program.command,
    args: linesOf(program.args),
    env: rows,
    cwd: typeof entry.cwd === 'string' ? entry.cwd : '',
  }
  return { form, blanks }
}

/** `command` and `args`, or both in one list, or inside an object as in old versions of Zed. */
function commandIn(entry: Entry): { command: string; args: string[] } | null {
  const { command } = entry
  if (isEntry(command)) return commandIn({ command: command.path, args: command.args })
  const texts = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter((one) => typeof one === 'string' || typeof one === 'number').map(String) : []
  const [first, ...rest] = Array.isArray(command) ? texts(command) : [command, ...texts(entry.args)]
  if (typeof first !== 'string' || first.trim() === '') return null
  return { command: first, args: rest.filter((one) => typeof one === 'string') }
}

function secretsIn(value: unknown): { rows: ServerForm['env']; blanks: string[] } {
  if (!isEntry(value)) return { rows: [], blanks: [] }
  const blanks: string[] = []
  const rows = Object.entries(value).map(([name, given]) => {
    const text =
      typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? String(given) : ''
    const blank = text === '' || /\$\{[^}]*\}|^<.*>$|^\$[A-Z_]+$/.test(text)
    if (blank) blanks.push(name)
    return secretRow(name, blank ? '' : text)
  })
  return { rows, blanks }
}
