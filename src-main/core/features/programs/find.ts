import { constants } from 'node:fs'
import { access, opendir, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Machine, ProgramDefinition, ProgramFile } from './definition.ts'

/** Most folders of the PATH that are read, and most names of one folder. */
const maxFolders = 100
const maxNames = 20_000
/** How long a folder may take, ms. It may be on a disk of the network. */
const folderMs = 1500

/** What was found of a program, without running it. */
export interface Found {
  /** Absolute path of its command, or null. */
  command: string | null
  /** Its command, its folder or its file exists. */
  isInstalled: boolean
  /** The file that Connect writes, or null. */
  file: string | null
  hasFile: boolean
}

/** Looks for programs: their commands in the folders of the PATH and in known places, their own folders, and their files. */
export async function findPrograms(definitions: readonly ProgramDefinition[], machine: Machine): Promise<Found[]> {
  const usual = usualFolders(machine)
  const onPath = (pathOf(machine) ?? '').split(delimiter).filter(isAbsolute).slice(0, maxFolders)
  const names = new Map<string, Promise<ReadonlySet<string>>>()
  const namesIn = (folder: string): Promise<ReadonlySet<string>> => {
    const known = names.get(folder) ?? inTime(readNames(folder), new Set<string>())
    names.set(folder, known)
    return known
  }
  return Promise.all(
    definitions.map(async (definition) => {
      const folders = [...new Set([...onPath, ...usual, ...(definition.installFolders?.(machine) ?? [])])]
      const command = await findCommand(commandNames(definition, machine), folders, namesIn)
      const folder = definition.folder(machine)
      const [main] = definition.files
      const { file, hasFile } = main ? await findFile(main, machine) : { file: null, hasFile: false }
      const isInstalled = command !== null || hasFile || (folder !== null && (await exists(folder)))
      return { command, isInstalled, file, hasFile }
    }),
  )
}

/** The first path that exists, else the first. */
export async function findFile(
  { paths }: Pick<ProgramFile, 'paths'>,
  machine: Machine,
): Promise<{ file: string; hasFile: boolean }> {
  const all = paths(machine)
  for (const path of all) if (await exists(path)) return { file: path, hasFile: true }
  const [first] = all
  if (first === undefined) throw new RangeError('A file needs a path.')
  return { file: first, hasFile: false }
}

const pathOf = ({ env, platform }: Machine): string | undefined =>
  platform === 'win32' ? (env.PATH ?? env.Path) : env.PATH

/** Folders into which installers put commands, which the PATH of an application without a terminal may lack. */
function usualFolders({ home, platform, env }: Machine): string[] {
  if (platform === 'win32') {
    const { APPDATA, LOCALAPPDATA } = env
    return [
      ...(APPDATA === undefined ? [] : [join(APPDATA, 'npm')]),
      ...(LOCALAPPDATA === undefined
        ? []
        : [join(LOCALAPPDATA, 'Microsoft', 'WinGet', 'Links'), join(LOCALAPPDATA, 'pnpm')]),
      join(home, '.local', 'bin'),
      join(home, 'scoop', 'shims'),
    ]
  }
  const own = [
    '.local/bin',
    '.npm-global/bin',
    '.bun/bin',
    '.volta/bin',
    '.cargo/bin',
    'bin',
    'Library/pnpm',
    '.local/share/pnpm',
  ]
  return [...own.map((folder) => join(home, folder)), '/usr/local/bin', '/opt/homebrew/bin', '/usr/bin', '/snap/bin']
}

function commandNames({ commands }: ProgramDefinition, { platform }: Machine): string[] {
  if (platform !== 'win32') return [...commands]
  return commands.flatMap((name) => ['.exe', '.cmd', '.bat'].map((ending) => name + ending))
}

async function findCommand(
  wanted: readonly string[],
  folders: readonly string[],
  namesIn: (folder: string) => Promise<ReadonlySet<string>>,
): Promise<string | null> {
  for (const folder of folders) {
    const names = await namesIn(folder)
    for (const name of wanted) {
      const path = join(folder, name)
      if (names.has(name) && (await inTime(isCommand(path), false))) return path
    }
  }
  return null
}

async function isCommand(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

async function readNames(folder: string): Promise<Set<string>> {
  const names = new Set<string>()
  try {
    for await (const { name } of await opendir(folder)) {
      names.add(name)
      if (names.size >= maxNames) break
    }
  } catch {
    // The PATH may name folders that do not exist.
  }
  return names
}

const exists = (path: string): Promise<boolean> =>
  inTime(
    stat(path).then(
      () => true,
      () => false,
    ),
    false,
  )

/** The result, or `otherwise` when it takes too long. */
function inTime<T>(work: Promise<T>, otherwise: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  const timer = setTimeout(() => resolve(otherwise), folderMs)
  work.then(resolve, () => resolve(otherwise))
  return promise.finally(() => clearTimeout(timer))
}
