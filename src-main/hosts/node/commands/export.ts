import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StudioError } from '../../../core/errors.ts'
import type { DataExport, ExportRange, Parts } from '../dependencies.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, log, writeOutput } from '../output.ts'
import { fileToWrite, folderToMake, makeWhole, withPart, writeFileWhole } from '../userFile.ts'
import { accountOf, outputOption, usage } from './usage.ts'

export interface ExportOptions {
  dataDir?: string
  what: 'chats' | 'media' | 'requests' | 'usage' | 'all'
  format?: 'zip' | 'markdown' | 'csv' | 'json' | 'parquet'
  /** A file, or `-` for standard output (usual); of `media` and `all` a folder. */
  output?: string
  since?: string
  until?: string
  account?: string
}

const formats = {
  chats: ['zip', 'markdown'],
  media: [],
  requests: ['csv', 'json', 'parquet'],
  usage: ['csv', 'json', 'parquet'],
  all: ['csv', 'json', 'parquet'],
} as const
const endings = { zip: 'zip', markdown: 'md', csv: 'csv', json: 'jsonl', parquet: 'parquet' } as const
const dayMs = 86_400_000

/** Chats, media, the log of requests and the books, out of the folder into open formats. Needs no network, no keychain and no core. */
export async function exportData(options: ExportOptions, parts: Parts): Promise<number> {
  const { what, output } = options
  const format = options.format ?? formats[what][0] ?? null
  if (format !== null && !formats[what].some((one) => one === format)) {
    const words =
      what === 'media' ? 'is written as the files that it is' : `can be written as ${formats[what].join(', ')}`
    throw new StudioError('bad_input', `${what} ${words}.`)
  }
  if (options.since !== undefined && options.until !== undefined && options.since > options.until) {
    throw new StudioError('bad_input', `--since ${options.since} is later than --until ${options.until}.`)
  }
  const dataDir = findDataDir(options.dataDir)
  if (what === 'all') return exportAll(options, dataDir, parts)
  if (what === 'media' || format === null) {
    const folder = await folderFor(output, 'media')
    await makeWhole(folder, async (part) => {
      await exportMedia(part, folder, { ...options, dataDir }, parts)
    })
    return exitCodes.ok
  }
  await exportOne(what, format, options.output, { ...options, dataDir }, parts)
  return exitCodes.ok
}

/** A folder with a file for each. */
async function exportAll(options: ExportOptions, dataDir: string, parts: Parts): Promise<number> {
  const { format = 'csv' } = options
  const folder = await folderFor(options.output, 'export')
  const asked = { ...options, dataDir }
  await makeWhole(folder, async (part) => {
    await mkdir(part, { mode: 0o700 })
    await exportMedia(join(part, 'media'), join(folder, 'media'), asked, parts).catch(nothingThere)
    for (const [what, how] of [
      ['chats', 'zip'],
      ['requests', format],
      ['usage', format],
    ] as const) {
      const file = join(part, `${what}.${what === 'usage' && how === 'json' ? 'json' : endings[how]}`)
      await exportOne(what, how, file, asked, parts).catch(nothingThere)
    }
  })
  log('info', `Written to ${folder}.`)
  return exitCodes.ok
}

/** Of what was never used there is nothing to write; that is no failure of the rest. */
function nothingThere(thrown: unknown): void {
  if (!(thrown instanceof StudioError && thrown.kind === 'no_such_item')) throw thrown
  log('warn', thrown.message)
}

/** @throws StudioError `bad_input` for standard output, and where something is there already */
async function folderFor(output: string | undefined, what: 'media' | 'export'): Promise<string> {
  if (output === '-') {
    throw new StudioError('bad_input', 'This is more than one file: name a folder with --output.')
  }
  return folderToMake(output ?? `inference-studio-${what}-${new Date().toISOString().slice(0, 10)}`, '--output')
}

/** @param shown the folder's name once everything is written, for the message */
async function exportMedia(folder: string, shown: string, asked: Asked, parts: Parts): Promise<void> {
  const from = await parts.openExport(asked.dataDir)
  try {
    const { files, missing } = await from.media(folder, rangeOf(asked))
    const gone = missing === 0 ? '' : ` ${missing} more were not there any more, or had changed; the list says which.`
    log(missing === 0 ? 'info' : 'warn', `${shown} holds ${files} ${files === 1 ? 'file' : 'files'}.${gone}`)
  } finally {
    from.close()
  }
}

type Asked = ExportOptions & { dataDir: string }

async function exportOne(
  what: 'chats' | 'requests' | 'usage',
  format: keyof typeof endings,
  output: string | undefined,
  asked: Asked,
  parts: Parts,
): Promise<void> {
  const file = output === undefined || output === '-' ? null : await fileToWrite(output, outputOption)
  const binary = format === 'zip' || format === 'parquet'
  if (binary && file === null && process.stdout.isTTY) {
    throw new StudioError(
      'bad_input',
      `${format} is no text: send it into a file, such as --output ${what}.${endings[format]}`,
    )
  }
  if (what === 'usage') return exportUsage(format, file, asked, parts)
  const range = rangeOf(asked)
  const from = await parts.openExport(asked.dataDir)
  try {
    if (what === 'requests') {
      const account = await accountIdOf(asked, parts)
      if (format === 'csv' || format === 'json' || format === 'parquet')
        await put(from.requests(format, range, account), file)
    } else if (format === 'markdown') await put(from.markdown(range), file)
    else await putArchive(from, range, file)
  } finally {
    from.close()
  }
}

/** As `usage` writes it: by model and day, both sides, from the first day that is known. */
async function exportUsage(
  format: string,
  file: string | null,
  { dataDir, account, since, until }: Asked,
  parts: Parts,
): Promise<void> {
  if (format !== 'csv' && format !== 'json' && format !== 'parquet') return
  const accounts = await parts.openUsage(dataDir)
  const first = (() => {
    try {
      return accountOf(accounts, account)?.firstDay ?? undefined
    } finally {
      accounts.close()
    }
  })()
  // Where all that is known came later, there is nothing to write: an empty table, no failure of the rest.
  const from = since ?? (first !== undefined && until !== undefined && first > until ? until : first)
  await usage(
    {
      ...{ dataDir, format, by: 'model', source: 'both', each: 'day' },
      ...(account !== undefined && { account }),
      ...(from !== undefined && { since: from }),
      ...(until !== undefined && { until }),
      ...(file !== null && { output: file }),
    },
    parts,
  )
}

/** Days (UTC), both included, as instants of which the second does not belong to it. */
const rangeOf = ({ since, until }: ExportOptions): ExportRange => ({
  from: since === undefined ? null : new Date(Date.parse(since)).toISOString(),
  until: until === undefined ? null : new Date(Date.parse(until) + dayMs).toISOString(),
})

async function accountIdOf({ account, dataDir }: Asked, parts: Parts): Promise<string | null> {
  if (account === undefined) return null
  const accounts = await parts.openUsage(dataDir)
  try {
    return accountOf(accounts, account)?.id ?? null
  } finally {
    accounts.close()
  }
}

/** A zip is laid out in a file of its own; standard output gets it when it is whole. */
async function putArchive(from: DataExport, range: ExportRange, file: string | null): Promise<void> {
  if (file !== null) return makeWhole(file, (part) => from.archive(part, range))
  await withPart(tmpdir(), async (part) => {
    await from.archive(part, range)
    await put(createReadStream(part), null)
  })
}

async function put(content: AsyncIterable<Uint8Array>, file: string | null): Promise<void> {
  if (file !== null) return writeFileWhole(file, content)
  for await (const bytes of content) await writeOutput(bytes)
}
