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

/**
 * `backup`: writes the data folder to one tar file, consistent even while a studio runs.
 * Uses no API key, no keychain and no network.
 */
export async function backup(file: string | undefined, options: BackupOptions, parts: Parts): Promise<number> {
  const data = await parts.openData()
  const toStandardOutput = file === '-'
  if (toStandardOutput && process.stdout.isTTY) {
    throw new StudioError('bad_input', 'A tar file is binary. Name a file, or pipe the output to a program.')
  }
  const argument = { option: 'FILE', otherwise: 'or - for standard output', overwrite: options.force }
  const path = toStandardOutput ? null : await fileToWrite(file ?? data.nameFor(new Date()), argument)
  const dataDir = findDataDir(options.dataDir)
  if (existsSync(dataDir) && path?.startsWith(join(realpathSync(dataDir), '/'))) {
    throw new StudioError('bad_input', 'The backup can’t be inside the data folder. Choose a place outside it.')
  }
  const interrupt = listenForInterrupt()
  try {
    // Copies the bytes: their buffer is reused once the sink resolves.
    const target = path === null ? { sink: (bytes: Uint8Array) => writeOutput(Buffer.from(bytes)) } : { path }
    const summary = await data.backup({ dataDir, signal: interrupt.signal, target })
    if (path === null) log('info', 'The backup is complete.')
    else if (options.json) printJson({ file: path, ...summary })
    else say(`Wrote ${path}: ${countText(summary.counts)}. API keys are not included.`)
    return exitCodes.ok
  } finally {
    interrupt.release()
  }
}

/** Singular and plural. */
const names: Record<Counts[number]['thing'], readonly [string, string]> = {
  conversations: ['conversation', 'conversations'],
  messages: ['message', 'messages'],
  media: ['media file', 'media files'],
  speeches: ['speech clip', 'speech clips'],
  recordings: ['recording', 'recordings'],
  transcripts: ['transcript', 'transcripts'],
  images: ['image', 'images'],
  library: ['library item', 'library items'],
  tools: ['app or tool', 'apps and tools'],
  connections: ['connection', 'connections'],
  settings: ['setting', 'settings'],
  requests: ['request', 'requests'],
  sums: ['daily total', 'daily totals'],
  bodies: ['stored body', 'stored bodies'],
  accounts: ['account record', 'account records'],
  other: ['internal record', 'internal records'],
}

export const countText = (counts: Counts): string =>
  counts.length === 0
    ? 'nothing'
    : counts.map(({ thing, count }) => `${count} ${names[thing][count === 1 ? 0 : 1]}`).join(', ')
