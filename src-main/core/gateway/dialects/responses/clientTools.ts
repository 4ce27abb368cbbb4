import { parseText } from '../../../upstream/json/jsonScan.ts'
import { type Fields, isFields } from '../../../upstream/json/values.ts'

/** Tools of the API that the app runs and that have a type of their own. The service gets them as functions. */
export type ClientToolKind = 'shell' | 'local_shell' | 'apply_patch' | 'tool_search'

/** How a tool of the app becomes a function. The function's arguments are one member of the API's call item. */
interface ClientTool {
  /** Prefix of the ids of its calls, with the underscore. */
  idPrefix: string
  description: string
  parameters: Fields
  member: 'action' | 'operation' | 'arguments'
  /** Members of the call item that are always the same. */
  extra: Fields
  /** The member for arguments of the model, or null when they can't be read. */
  read(args: Fields): Fields | null
  /** The member of a call that has not arrived, or whose arguments can't be read. The app can run nothing with it. */
  empty: Fields
  /** The words for the model of an output item. */
  result(item: Fields): string
}

const nullable = (type: string, description: string): Fields => ({ type: [type, 'null'], description })
const objectOf = (properties: Fields, required: string[]): Fields => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const timeoutSchema = nullable('integer', 'Longest time for the commands, in milliseconds.')

export const clientTools: Readonly<Record<ClientToolKind, ClientTool>> = {
  shell: {
    idPrefix: 'sh_',
    description: 'Runs commands in the shell of the user’s computer, one after another, and returns their output.',
    parameters: objectOf(
      {
        commands: { type: 'array', items: { type: 'string' }, description: 'The shell commands, in order.' },
        timeout_ms: timeoutSchema,
        max_output_length: nullable('integer', 'Most characters of output that are returned.'),
      },
      ['commands'],
    ),
    member: 'action',
    extra: { environment: { type: 'local' } },
    read({ commands, timeout_ms, max_output_length }) {
      const list = textsIn(commands)
      return list && { commands: list, timeout_ms: count(timeout_ms), max_output_length: count(max_output_length) }
    },
    empty: { commands: [], timeout_ms: null, max_output_length: null },
    result: ({ output }) => (Array.isArray(output) ? shellOutput(output) : words(output)),
  },
  local_shell: {
    idPrefix: 'lsh_',
    description:
      'Runs one program on the user’s computer and returns its output. There is no shell unless the command starts one.',
    parameters: objectOf(
      {
        command: { type: 'array', items: { type: 'string' }, description: 'The program and its arguments.' },
        env: { type: 'object', additionalProperties: { type: 'string' }, description: 'Environment variables to set.' },
        working_directory: nullable('string', 'The folder to run it in.'),
        timeout_ms: timeoutSchema,
        user: nullable('string', 'The user to run it as.'),
      },
      ['command'],
    ),
    member: 'action',
    extra: {},
    read({ command, env, working_directory, timeout_ms, user }) {
      const list = textsIn(command)
      if (list === null) return null
      const variables = Object.entries(isFields(env) ? env : {}).filter(([, value]) => typeof value === 'string')
      const place = { working_directory: textOrNull(working_directory), user: textOrNull(user) }
      return {
        type: 'exec',
        command: list,
        env: Object.fromEntries(variables),
        timeout_ms: count(timeout_ms),
        ...place,
      }
    },
    empty: { type: 'exec', command: [], env: {}, timeout_ms: null, working_directory: null, user: null },
    result: ({ output }) => words(output),
  },
  apply_patch: {
    idPrefix: 'apc_',
    description:
      'Creates, updates or deletes one file of the workspace. The diff has no file headers. Each of its lines begins with "+" (added), "-" ' +
      '(removed) or a space (unchanged). For create_file it is the whole content, each line with "+". For update_file it has sections, each ' +
      'after a line with "@@" and, if that helps to find the place, the line of the file that the section is below.',
    parameters: objectOf(
      {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: { type: 'string', description: 'The path of the file, relative to the workspace.' },
        diff: { type: 'string', description: 'The diff. Left out for delete_file.' },
      },
      ['type', 'path'],
    ),
    member: 'operation',
    extra: {},
    read(args) {
      const { type, path, diff } = isFields(args.operation) ? args.operation : args
      if (typeof path !== 'string' || path === '') return null
      if (type === 'delete_file') return { type, path }
      if ((type !== 'create_file' && type !== 'update_file') || typeof diff !== 'string') return null
      return { type, path, diff }
    },
    // No file has this path, so the app reports a failure and the model can try again.
    empty: { type: 'update_file', path: '', diff: '' },
    result: ({ status, output }) =>
      words(output) || (status === 'failed' ? 'The patch failed.' : 'The patch was applied.'),
  },
  // The app describes its search itself. What it finds is added to the tools of the requests that follow.
  tool_search: {
    idPrefix: 'tsc_',
    description: 'Finds tools that can be called in the next turn.',
    parameters: objectOf({ query: { type: 'string' } }, ['query']),
    member: 'arguments',
    extra: { execution: 'client' },
    read: (args) => args,
    empty: {},
    result({ tools }) {
      const found = Array.isArray(tools) ? tools.filter(isFields).flatMap(namesOf) : []
      return found.length === 0 ? 'No tool was found.' : `These tools can be called now: ${found.join(', ')}`
    },
  },
}

/** The names of a found tool, or of those of a namespace, as the model knows them. */
function namesOf({ type, name, tools }: Fields): string[] {
  if (typeof name !== 'string') return []
  if (type !== 'namespace') return [name]
  const inner = Array.isArray(tools) ? tools.filter(isFields) : []
  return inner.flatMap((tool) => (typeof tool.name === 'string' ? [joinedName(name, tool.name)] : []))
}

const kinds = new Set(Object.keys(clientTools))

export const isClientTool = (type: string): type is ClientToolKind => kinds.has(type)

/** The function name of a tool in a namespace. */
export const joinedName = (namespace: string, name: string): string =>
  namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`

/** Whether the app runs a tool: a search for tools can also be OpenAI's, and a shell can be in a container there. */
export function runsAtApp({ type, execution, environment }: Fields): boolean {
  if (typeof type === 'string' && type.startsWith('tool_search')) return execution === 'client'
  return !isFields(environment) || environment.type === 'local'
}

/** The tool whose call or output an item is, or null. */
export function clientToolOf(itemType: string): { kind: ClientToolKind; part: 'call' | 'output' } | null {
  if (itemType === 'tool_search_output') return { kind: 'tool_search', part: 'output' }
  const [, kind = '', part = ''] = /^(.+)_call(_output)?$/.exec(itemType) ?? []
  return isClientTool(kind) ? { kind, part: part === '' ? 'call' : 'output' } : null
}

/** The member of a call item for the arguments that the model wrote, or null when they can't be read. */
export function readClientCall(kind: ClientToolKind, args: string): Fields | null {
  let value: unknown
  try {
    value = parseText(args)
  } catch {
    return null
  }
  return isFields(value) ? clientTools[kind].read(value) : null
}

/** The arguments of the function for a call item in the history. Members without a value are left out. */
export function argumentsOf(kind: ClientToolKind, item: Fields): string {
  const given = item[clientTools[kind].member]
  if (kind === 'tool_search') return JSON.stringify(isFields(given) ? given : {})
  const { type, ...rest } = isFields(given) ? given : {}
  const own = kind === 'apply_patch' ? { type, ...rest } : rest
  return JSON.stringify(Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null)))
}

/** The output of a shell: what each command wrote, and how it ended. */
function shellOutput(output: readonly unknown[]): string {
  if (output.length === 0) return 'No command ran.'
  return output.filter(isFields).map(outputOfCommand).join('\n\n')
}

function outputOfCommand({ stdout, stderr, outcome }: Fields): string {
  const { type, exit_code: code } = isFields(outcome) ? outcome : {}
  const end = type === 'timeout' ? 'Stopped: it took too long.' : `Exit code: ${words(code)}`
  return [words(stdout), ...(words(stderr) === '' ? [] : ['Standard error:', words(stderr)]), end]
    .filter((part) => part !== '')
    .join('\n')
}

const words = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)

/** A list of texts. Models write a single one without the list. */
function textsIn(value: unknown): string[] | null {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string') ? value : null
}

const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)
