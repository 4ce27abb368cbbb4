import { randomUUID } from 'node:crypto'
import { rmSync, type Stats } from 'node:fs'
import { lstat, open, realpath, rename, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { t } from '../../../src-renderer/i18n/cli.ts'
import type { StudioError } from '../../core/errors.ts'
import { codeOf, isSystemError } from '../../core/shared/diskProblem.ts'
import { exitCodes, tell } from './output.ts'
import { fileError, ownError } from './ownWords.ts'
import { endsInOrder, onEndSignals, signalCode } from './signals.ts'

// Reads and writes files that the command line names.

/** Describes a file argument in error messages. */
interface FileArgument {
  /** The option, such as `--output`, which the messages name. Absent for an argument of the command. */
  option?: string
  /** Whether `-` is standard output, which the messages then name. */
  orOutput?: boolean
}

/** The path as the subject of a message, with the option that named it. */
const named = (path: string, option: string | undefined): string =>
  option === undefined ? path : `${path} (${option})`

const bad = (words: string): StudioError => ownError('bad_input', words)

/**
 * Resolves the absolute path of a file to write. Follows symbolic links, as `cp` does.
 * Refuses devices and pipes, because the final rename would replace them by a file.
 * @param overwrite whether an existing regular file is accepted
 * @throws StudioError `bad_input`, `not_writable`
 */
export async function fileToWrite(
  asked: string,
  { overwrite, ...argument }: FileArgument & { overwrite: boolean },
): Promise<string> {
  const { option, orOutput } = argument
  const path = await resolvePath(resolve(asked), option)
  const facts = await factsOf(path, option)
  if (facts === null && !asked.endsWith(sep)) return path
  if (facts === null || facts.isDirectory())
    throw bad(t(orOutput ? 'file.isFolderOutput' : 'file.isFolder', { path: named(asked, option) }))
  if (!facts.isFile()) throw bad(t(orOutput ? 'file.isDeviceOutput' : 'file.isDevice', { path: named(asked, option) }))
  if (!overwrite) throw bad(t('file.exists', { path: named(path, option) }))
  return path
}

/** Follows symbolic links of the path and of its folders. @throws StudioError `bad_input` */
async function resolvePath(path: string, option: string | undefined): Promise<string> {
  try {
    return await realpath(path)
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw asProblem(thrown, t('file.cantWrite', { path: named(path, option) }))
  }
  // Refuses a link without a target, as `cp` does.
  if ((await factsOf(path, option))?.isSymbolicLink()) {
    throw bad(t('file.deadLink', { path: named(path, option) }))
  }
  const folder = dirname(path)
  const isFolder = await stat(folder).then(
    (facts) => facts.isDirectory(),
    () => false,
  )
  if (!isFolder) throw bad(t('file.noFolder', { path: named(folder, option) }))
  return join(await realpath(folder), basename(path))
}

async function factsOf(path: string, option: string | undefined): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null
    throw asProblem(thrown, t('file.cantUse', { path: named(path, option) }))
  }
}

/**
 * Resolves the absolute path of a regular file to read. Refuses pipes, because opening one may wait forever.
 * @throws StudioError `bad_input`, `not_writable`
 */
export async function fileToRead(asked: string, option?: string): Promise<string> {
  const path = resolve(asked)
  try {
    const facts = await stat(path)
    if (facts.isDirectory()) throw bad(t('file.isFolder', { path: named(path, option) }))
    if (!facts.isFile()) throw bad(t('file.isDevice', { path: named(path, option) }))
    return path
  } catch (thrown) {
    throw asProblem(thrown, t('file.cantRead', { path: named(path, option) }))
  }
}

/**
 * Resolves the absolute path of a folder to create. @throws StudioError `bad_input` when it exists
 */
export async function folderToMake(asked: string, option: string): Promise<string> {
  const path = await resolvePath(resolve(asked), option)
  if (await factsOf(path, option)) throw bad(t('file.folderExists', { path: named(path, option) }))
  return path
}

/**
 * Creates a file or folder completely or not at all: `make` writes to a hidden name beside `path`, which is renamed at the end.
 * A failure or Ctrl-C leaves nothing behind.
 * @throws StudioError `disk_full`, `not_writable`, `bad_input`, and errors of `make`
 */
export async function createAtomically<T>(path: string, make: (part: string) => Promise<T>): Promise<T> {
  return withTemporaryPath(dirname(path), async (part) => {
    try {
      const made = await make(part)
      await rename(part, path)
      return made
    } catch (thrown) {
      throw asProblem(thrown, t('file.cantWrite', { path }))
    }
  })
}

/** Runs `use` with an unused temporary path in `folder` and deletes it afterwards. The name is short, to stay below name limits. */
export async function withTemporaryPath<T>(folder: string, use: (part: string) => Promise<T>): Promise<T> {
  const part = join(folder, `.inference-studio-${randomUUID()}.part`)
  const drop = (): void => rmSync(part, { recursive: true, force: true })
  const release = onEndSignals(() => {
    // The command stops requests first, and the file is deleted on its way out.
    if (endsInOrder()) return
    drop()
    tell('error', t('cancelled'))
    process.exit(signalCode() ?? exitCodes.failed)
  })
  try {
    return await use(part)
  } finally {
    release()
    drop()
  }
}

/**
 * Writes a file atomically, readable by its owner only. A power cut leaves the old or the new content.
 * @throws StudioError kinds of `createAtomically`
 */
export function writeFileAtomically(
  path: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  return createAtomically(path, async (part) => {
    const file = await open(part, 'wx', 0o600)
    try {
      // `write` may write only a part of the bytes. `writeFile` writes all of them.
      for await (const bytes of content) await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
  })
}

const asProblem = (thrown: unknown, failed: string): unknown =>
  isSystemError(thrown) ? fileError(thrown, failed) : thrown
