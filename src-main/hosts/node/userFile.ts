import { randomUUID } from 'node:crypto'
import { rmSync, type Stats } from 'node:fs'
import { lstat, open, realpath, rename, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { StudioError } from '../../core/errors.ts'
import { codeOf, fileProblem, isSystemError } from '../../core/shared/diskProblem.ts'
import { exitCodes, log } from './output.ts'
import { onEndSignals } from './signals.ts'

// Files that a person names on the command line, to be read or written.

/** How a file was named on the command line. */
interface Wish {
  /** What names it on the command line, such as `--output`, for messages. */
  option: string
  /** What else the option takes, in words, such as "or - for standard output". */
  otherwise?: string
}

const bad = (message: string): StudioError => new StudioError('bad_input', message)

/**
 * Where a file that is asked for will really lie, absolute. A symbolic link is written through, as `cp` does it, and stays a link. Only a regular
 * file may be in that place: a rename would put a file in the place of a device or a pipe.
 * @param overwrite whether a regular file may be there
 * @throws StudioError `bad_input`, `not_writable`
 */
export async function fileToWrite(
  asked: string,
  { overwrite, ...wish }: Wish & { overwrite: boolean },
): Promise<string> {
  const { option, otherwise = '' } = wish
  const allowed = `Name a regular file${otherwise === '' ? '' : ` ${otherwise}`}.`
  const path = await placeOf(resolve(asked), option)
  const facts = await factsOf(path, option)
  if (facts === null && !asked.endsWith(sep)) return path
  if (facts === null || facts.isDirectory()) throw bad(`${option}: ${asked} is a folder. ${allowed}`)
  if (!facts.isFile()) throw bad(`${option}: ${asked} is a device, a pipe or a socket. ${allowed}`)
  if (!overwrite) throw bad(`${option}: ${path} is there already. Give another name, or --force.`)
  return path
}

/** Follows symbolic links, also of the folders above. @throws StudioError `bad_input` */
async function placeOf(path: string, option: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw asProblem(thrown, `${option}: ${path} can’t be written`)
  }
  // As `cp` refuses it: what a link without a target was meant for, nobody knows.
  if ((await factsOf(path, option))?.isSymbolicLink()) {
    throw bad(`${option}: ${path} is a symbolic link to a file that does not exist. Name another file.`)
  }
  const folder = dirname(path)
  const isFolder = await stat(folder).then(
    (facts) => facts.isDirectory(),
    () => false,
  )
  if (!isFolder) throw bad(`${option}: there is no folder ${folder}. Name a file in a folder that exists.`)
  return join(await realpath(folder), basename(path))
}

async function factsOf(path: string, option: string): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null
    throw asProblem(thrown, `${option}: ${path} can’t be used`)
  }
}

/**
 * A file that is to be read, absolute. Not a pipe: opening it would wait for a writer without an end.
 * @throws StudioError `bad_input`, `not_writable`
 */
export async function fileToRead(asked: string, option: string): Promise<string> {
  const path = resolve(asked)
  try {
    const facts = await stat(path)
    if (facts.isDirectory()) throw bad(`${option}: ${path} is a folder. Name a regular file.`)
    if (!facts.isFile()) throw bad(`${option}: ${path} is a device, a pipe or a socket. Name a regular file.`)
    return path
  } catch (thrown) {
    throw asProblem(thrown, `${option}: ${path} can’t be read`)
  }
}

/**
 * A folder that does not exist yet, absolute. @throws StudioError `bad_input`
 */
export async function folderToMake(asked: string, option: string): Promise<string> {
  const path = await placeOf(resolve(asked), option)
  if (await factsOf(path, option)) throw bad(`${option}: ${path} is there already. Give another name.`)
  return path
}

/**
 * Makes a file or folder whole or not at all: `make` gets a hidden name beside `path`, which becomes `path` when all of it is there. Nothing is left
 * after a failure, nor after Ctrl-C.
 * @throws StudioError `disk_full`, `not_writable`, `bad_input`, and what `make` throws
 */
export async function makeWhole<T>(path: string, make: (part: string) => Promise<T>): Promise<T> {
  return withPart(dirname(path), async (part) => {
    try {
      const made = await make(part)
      await rename(part, path)
      return made
    } catch (thrown) {
      throw asProblem(thrown, `${path} can’t be written`)
    }
  })
}

/** A name in `folder` that nothing has, for the length of `use`. Short: a long one may be too long where the final one is not. */
export async function withPart<T>(folder: string, use: (part: string) => Promise<T>): Promise<T> {
  const part = join(folder, `.inference-studio-${randomUUID()}.part`)
  const drop = (): void => rmSync(part, { recursive: true, force: true })
  const release = onEndSignals(() => {
    drop()
    log('error', 'Cancelled.')
    process.exit(exitCodes.failed)
  })
  try {
    return await use(part)
  } finally {
    release()
    drop()
  }
}

/** Writes `path`, readable by its owner alone; whole or not at all. @throws StudioError as `makeWhole` */
export function writeFileWhole(path: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
  return makeWhole(path, async (part) => {
    const file = await open(part, 'wx', 0o600)
    try {
      // A single `write` may take only a part.
      for await (const bytes of content) await file.writeFile(bytes)
    } finally {
      await file.close()
    }
  })
}

const asProblem = (thrown: unknown, failed: string): unknown =>
  isSystemError(thrown) ? fileProblem(thrown, failed) : thrown
