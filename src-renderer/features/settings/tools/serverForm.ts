import { placeOf } from '../../../../src-preload/contract/hostPlace.ts'
import { functionName, type McpServer, type McpTransport } from '../../../../src-preload/contract/tools.ts'
import type { Client } from '../../../api/connect.ts'
import { toolsStore, withAdded } from '../../../stores/tools.ts'

/** A secret value in the keychain, by name. */
export interface SecretRow {
  /** React key. */
  key: string
  name: string
  /** As typed. Empty with `kept`: the stored value stays. Never contains a stored value. */
  value: string
  kept: boolean
}

/** What a dialog that adds servers gets. */
export interface AddServersProps {
  open: boolean
  servers: readonly McpServer[]
  onClose: () => void
}

/** The fields of the server form, as typed. */
export interface ServerForm {
  id: string | null
  name: string
  kind: 'stdio' | 'http'
  command: string
  /** In the format of `linesOf`. */
  args: string
  env: SecretRow[]
  cwd: string
  url: string
  headers: SecretRow[]
  timeout: string
}

export type ServerField = 'name' | 'command' | 'env' | 'url' | 'headers' | 'timeout' | 'cwd'
export type ServerFault = 'empty' | 'taken' | 'url' | 'names' | 'twice' | 'value' | 'timeout' | 'long'
export type ServerErrors = Partial<Record<ServerField, ServerFault>>

export interface ServerToSave {
  id?: string
  name: string
  transport: McpTransport
  timeoutSeconds: number
  secrets: Record<string, string | null>
}

let keys = 0
export const secretRow = (name = '', value = '', kept = false): SecretRow => {
  keys += 1
  return { key: `s${keys}`, name, value, kept }
}

export const newServer: ServerForm = {
  id: null,
  name: '',
  kind: 'stdio',
  command: '',
  args: '',
  env: [],
  cwd: '',
  url: '',
  headers: [],
  timeout: '60',
}

export function formOfServer({ id, name, transport, timeoutSeconds }: McpServer): ServerForm {
  const form = { ...newServer, id, name, timeout: String(timeoutSeconds) }
  if (transport.kind === 'http')
    return {
      ...form,
      kind: 'http',
      url: transport.url,
      headers: transport.headers.map((one) => secretRow(one, '', true)),
    }
  const { command, args, env, cwd } = transport
  return { ...form, command, args: linesOf(args), env: env.map((one) => secretRow(one, '', true)), cwd: cwd ?? '' }
}

const envName = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/

/**
 * The server to save, or the errors by field.
 * @param others names of the other servers
 */
export function readServerForm(
  form: ServerForm,
  others: readonly string[],
): { errors: ServerErrors; server: null } | { errors: null; server: ServerToSave } {
  const errors: ServerErrors = {}
  const name = form.name.trim()
  if (name === '') errors.name = 'empty'
  else if (others.some((other) => other.toLowerCase() === name.toLowerCase())) errors.name = 'taken'
  const timeoutSeconds = /^\d{1,4}$/.test(form.timeout.trim()) ? Number(form.timeout) : 0
  if (timeoutSeconds < 1 || timeoutSeconds > 3600) errors.timeout = 'timeout'
  const transport = form.kind === 'stdio' ? stdio(form, errors) : http(form, errors)
  if (Object.keys(errors).length > 0) return { errors, server: null }
  const secrets = secretsOf(form.kind === 'stdio' ? form.env : form.headers)
  const server = { name, transport, timeoutSeconds, secrets, ...(form.id === null ? {} : { id: form.id }) }
  return { errors: null, server }
}

function stdio(form: ServerForm, errors: ServerErrors): McpTransport {
  const command = form.command.trim()
  if (command === '') errors.command = 'empty'
  const args = argsOf(form.args)
  if (args.length > 200) errors.command = 'long'
  const fault = faultOf(form.env, envName)
  if (fault) errors.env = fault
  const cwd = form.cwd.trim()
  return { kind: 'stdio', command, args, env: namesOf(form.env), cwd: cwd === '' ? null : cwd }
}

function http(form: ServerForm, errors: ServerErrors): McpTransport {
  const url = form.url.trim()
  if (url === '') errors.url = 'empty'
  else if (!isHttp(url)) errors.url = 'url'
  const fault = faultOf(form.headers, headerName)
  if (fault) errors.headers = fault
  return { kind: 'http', url, headers: namesOf(form.headers) }
}

/** Formats arguments, one per line. An argument with a line end or a leading double quote is written as a JSON string. */
export const linesOf = (args: readonly string[]): string =>
  args.map((one) => (one === '' || /\n|^"/.test(one) ? JSON.stringify(one) : one)).join('\n')

/** The inverse of `linesOf`. Skips empty lines. */
export const argsOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map(argOf)

function argOf(line: string): string {
  if (!line.startsWith('"')) return line
  try {
    const read: unknown = JSON.parse(line)
    return typeof read === 'string' ? read : line
  } catch {
    return line
  }
}

function isHttp(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

/** Whether the address sends data unencrypted over a network: http to another computer. */
export function isUnencrypted(text: string): boolean {
  if (!isHttp(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'http:' && placeOf(hostname) !== 'here'
}

const filled = (rows: readonly SecretRow[]): SecretRow[] =>
  rows.filter(({ name, value, kept }) => name.trim() !== '' || value !== '' || kept)
const namesOf = (rows: readonly SecretRow[]): string[] => filled(rows).map(({ name }) => name.trim())

function faultOf(rows: readonly SecretRow[], form: RegExp): ServerFault | null {
  const names = namesOf(rows)
  if (names.some((name) => !form.test(name))) return 'names'
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return 'twice'
  return filled(rows).some(({ value, kept }) => value === '' && !kept) ? 'value' : null
}

/** Null keeps the stored value of that name. */
const secretsOf = (rows: readonly SecretRow[]): Record<string, string | null> =>
  Object.fromEntries(filled(rows).map(({ name, value, kept }) => [name.trim(), value === '' && kept ? null : value]))

/** Checks a function name against the service's rules and the existing names. */
export function functionNameFault(name: string, others: readonly string[]): 'empty' | 'form' | 'taken' | null {
  if (name === '') return 'empty'
  if (!functionName.safeParse(name).success) return 'form'
  return others.includes(name) ? 'taken' : null
}

/** Saves a server, and turns it on if `on`. The tools of a new server are then offered in the current chat. */
export async function saveServer(client: Client, server: ServerToSave, on: boolean): Promise<void> {
  const { id } = await client.tools.saveServer(server)
  if (server.id === undefined) toolsStore.setState(withAdded(toolsStore.getState(), id))
  if (on) await client.tools.switchServer({ id, on })
}
