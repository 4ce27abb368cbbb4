import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Counts } from '../../../../src-preload/contract/data.ts'
import { StudioError } from '../../../core/errors.ts'
import type { Parts } from '../dependencies.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, log, printJson, say, writeOutput } from '../output.ts'
import { listenForInterrupt } from '../signals.ts'
import { fileToWrite } from '../userFile.ts'

interface BackupOptions {
  force: boolean
  dataDir?: string
  json: boolean
}

/** Everything of the data folder into one file, consistent also beside a running `serve`. Uses no key, no keychain and no network. */
export async function backup(file: string | undefined, options: BackupOptions, parts: Parts): Promise<number> {
  const keep = await parts.openData()
  const toStandardOutput = file === '-'
  if (toStandardOutput && process.stdout.isTTY) {
    throw new StudioError('bad_input', 'A tar is no text: name a file, or send it on.')
  }
  const wish = { option: 'FILE', otherwise: 'or - for standard output', overwrite: options.force }
  const path = toStandardOutput ? null : await fileToWrite(file ?? keep.nameFor(new Date()), wish)
  const dataDir = findDataDir(options.dataDir)
  if (existsSync(dataDir) && path?.startsWith(join(realpathSync(dataDir), '/'))) {
    throw new StudioError('bad_input', 'A backup in the data folder itself would go with it. Give a place outside it.')
  }
  const interrupt = listenForInterrupt()
  try {
    // The buffer behind the bytes is read into again once this answers.
    const target = path === null ? { sink: (bytes: Uint8Array) => writeOutput(Buffer.from(bytes)) } : { path }
    const summary = await keep.backup({ dataDir, signal: interrupt.signal, target })
    if (path === null) log('info', 'The backup is whole.')
    else if (options.json) printJson({ file: path, ...summary })
    else say(`${path}`, `holds ${countWords(summary.counts)}; no key is in it.`)
    return exitCodes.ok
  } finally {
    interrupt.release()
  }
}

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
