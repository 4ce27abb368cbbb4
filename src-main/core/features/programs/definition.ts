import { isAbsolute, join } from 'node:path'
import type { Program, ProgramId, ProgramStep } from '../../../../src-preload/contract/programs.ts'
import type { FormatName, PathStep, ProgramEntry } from './edit/entries.ts'
import type { Plain } from './edit/format.ts'

/** What decides where programs keep their files. */
export interface Machine {
  platform: NodeJS.Platform
  home: string
  env: Readonly<Record<string, string | undefined>>
}

/** What the entries of a program are made of. */
export interface ProgramFacts {
  /** Address of the local API, ending in `/v1`. */
  baseUrl: string
  /** Key of the app, never the service's. */
  key: string
  model: string
  /** Context window of the model, tokens. */
  context: number
  /** Most tokens of one reply. */
  output: number
  /** Whether images may be sent to the model. True until the service refused one. */
  images: boolean
  /** Whether the program also gets the studio's MCP server. */
  tools: boolean
}

/** Where a program keeps its MCP servers. */
export interface ToolsPlace {
  /** Index of the file in `files`. A file without other entries is written for tools only. */
  part: number
  path: readonly PathStep[]
  /** A server over HTTP, as the program writes one. */
  value(url: string, headers: { Authorization: string }): Plain
}

/** A configuration file of a program. */
export interface ProgramFile {
  format: FormatName
  /** Absolute paths, of which the first that exists is written, else the first. */
  paths(machine: Machine): string[]
  about: ProgramStep['about']
  entries(facts: ProgramFacts): ProgramEntry[]
}

/** Everything that is known about one program. Its texts and its entries come from here alone. */
export interface ProgramDefinition {
  id: ProgramId
  /** Names of its command. */
  commands: readonly string[]
  /** Absolute folders with its command besides those of the PATH. */
  installFolders?(machine: Machine): string[]
  /** A folder of its own. It exists when the program was used, also without a command, as editors are. */
  folder(machine: Machine): string | null
  /** The files that Connect writes, the one with the key first. Empty when there is none. */
  files: readonly ProgramFile[]
  /** Absent: it takes no MCP servers with an address and a header from a file. */
  tools?: ToolsPlace
  takesEffect: Program['takesEffect']
  keyPlace: Program['keyPlace']
  /** Environment variables and files in a project folder that have precedence over the file. */
  overrides: { variables: readonly string[]; files: readonly string[] }
  /** What to do besides the file. */
  steps(facts: ProgramFacts): Omit<ProgramStep, 'file'>[]
  /** Arguments for one turn without a terminal, without rights to change anything. Absent: it has no such mode. */
  trial?: { args(prompt: string, facts: Pick<ProgramFacts, 'model'>): string[]; env?: Record<string, string> }
}

/** The name of our provider in configurations that need one. */
export const provider = 'inference-studio'
export const providerName = 'Inference Studio'

/** Name of the variable with the key, for programs that read it from the environment. */
export const keyVariable = 'INFERENCE_STUDIO_KEY'

/** Address without `/v1`, for clients that append their own path. */
export const originOf = (baseUrl: string): string => baseUrl.replace(/\/v1$/, '')

/** Adds the entry of the MCP server to the file that has it. */
export function withTools({ files, tools, ...definition }: ProgramDefinition): ProgramDefinition {
  if (!tools) return { ...definition, files }
  const entry = ({ baseUrl, key }: ProgramFacts): ProgramEntry => ({
    path: tools.path,
    isOwn: true,
    value: tools.value(`${originOf(baseUrl)}/mcp`, { Authorization: `Bearer ${key}` }),
  })
  const withEntry = (file: ProgramFile): ProgramFile => ({
    ...file,
    entries: (facts) => [...file.entries(facts), ...(facts.tools ? [entry(facts)] : [])],
  })
  return { ...definition, tools, files: files.map((file, at) => (at === tools.part ? withEntry(file) : file)) }
}

/** A file that has nothing of ours but the MCP server. */
export const toolsFile = (paths: ProgramFile['paths']): ProgramFile => ({
  format: 'json',
  about: 'mergeFile',
  paths,
  entries: () => [],
})

/** The usual form of MCP servers, with the members that a program wants besides. */
export const mcpServers = (part: number, more: Readonly<Record<string, Plain>> = {}): ToolsPlace => ({
  part,
  path: ['mcpServers', provider],
  value: (url, headers) => ({ ...more, url, headers }),
})

/** Quotes any text as one word for a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A folder that an environment variable may name, else a path below the home folder. Relative values are ignored (XDG Base Directory). */
export function folderOf({ env, home }: Machine, variable: string, ...otherwise: string[]): string {
  const named = env[variable]
  return named !== undefined && isAbsolute(named) ? named : join(home, ...otherwise)
}

/** Folder for configurations on this system: `XDG_CONFIG_HOME`, `~/.config`, or `%APPDATA%`. @param mac below `~/Library` on macOS */
export function configFolder(machine: Machine, mac?: string): string {
  if (machine.platform === 'win32') return folderOf(machine, 'APPDATA', 'AppData', 'Roaming')
  if (machine.platform === 'darwin' && mac !== undefined) return join(machine.home, 'Library', mac)
  return folderOf(machine, 'XDG_CONFIG_HOME', '.config')
}
