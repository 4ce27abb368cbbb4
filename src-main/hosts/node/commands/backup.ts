import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Counts } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../../core/errors.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, log, printJson, say } from '../output.ts'
import type { Parts } from '../parts.ts'
import { listenForInterrupt } from '../signals.ts'

interface BackupOptions {
  force: boolean
  dataDir?: string
  json: boolean
}

/** Everything of the data folder into one file, consistent also beside a running `serve`. Uses no key, no keychain and no network. */
export async function backup(file: string | undefined, options: BackupOptions, parts: Parts): Promise<number> {
  const keep = await parts.openKeep()
  const toStandardOutput = file === '-'
  if (toStandardOutput && process.stdout.isTTY) {
    throw new StudioError('bad_input', 'A tar is no text: name a file, or send it on.')
  }
  const dataDir = findDataDir(options.dataDir)
  const path = toStandardOutput ? null : resolve(file ?? keep.nameFor(new Date()))
  if (path !== null && !options.force && existsSync(path)) {
    throw new StudioError('bad_input', `${path} is there already. Give another name, or --force.`)
  }
  if (path !== null && existsSync(dataDir) && `${placeOf(path)}/`.startsWith(join(realpathSync(dataDir), '/'))) {
    throw new StudioError('bad_input', 'A backup in the data folder itself would go with it. Give a place outside it.')
  }
  const interrupt = listenForInterrupt()
  try {
    const target = path === null ? { sink: toPipe } : { path }
    const summary = await keep.backup({ dataDir, signal: interrupt.signal, target })
    if (path === null) log('info', 'The backup is whole.')
    else if (options.json) printJson({ file: path, ...summary })
    else say(`${path}`, `holds ${countWords(summary.counts)}; no key is in it.`)
    return exitCodes.ok
  } finally {
    interrupt.release()
  }
}

/** The folder that a file will lie in, whatever links lead there; one that is not there is said when it is written. */
function placeOf(path: string): string {
  try {
    return realpathSync(dirname(path))
  } catch {
    return dirname(path)
  }
}

/** Waits until whoever reads has taken it. */
function toPipe(bytes: Uint8Array): Promise<void> {
  const { promise, resolve: taken, reject } = Promise.withResolvers<void>()
  // The buffer behind it is read into again once this answers.
  process.stdout.write(Buffer.from(bytes), (thrown) => (thrown ? reject(gone()) : taken()))
  return promise
}

const gone = (): StudioError => new StudioError('cancelled', 'Whoever read the backup has gone.')

/** One, and many. */
const names: Record<Counts[number]['thing'], readonly [string, string]> = {
  conversations: ['conversation', 'conversations'],
  messages: ['message', 'messages'],
  media: ['file of media', 'files of media'],
  speeches: ['speech', 'speeches'],
  recordings: ['recording', 'recordings'],
  transcripts: ['transcript', 'transcripts'],
  images: ['image', 'images'],
  library: ['thing of the library', 'things of the library'],
  tools: ['tool', 'tools'],
  connections: ['connection', 'connections'],
  settings: ['setting', 'settings'],
  requests: ['row of the request log', 'rows of the request log'],
  sums: ['daily sum', 'daily sums'],
  bodies: ['kept body', 'kept bodies'],
  accounts: ['row of the service’s books', 'rows of the service’s books'],
  other: ['note of the program', 'notes of the program'],
}

export const countWords = (counts: Counts): string =>
  counts.length === 0
    ? 'nothing'
    : counts.map(({ thing, count }) => `${count} ${names[thing][count === 1 ? 0 : 1]}`).join(', ')
