import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { or, t } from '../../../../src-renderer/i18n/cli.ts'
import { StudioError } from '../../../core/errors.ts'
import { dayMs } from '../../../core/shared/days.ts'
import type { DataExport, ExportRange } from '../../../core/stored.ts'
import type { Parts } from '../dependencies.ts'
import { usageError } from '../failure.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, printJson, tell, writeOutput } from '../output.ts'
import { wordsOf } from '../ownWords.ts'
import { readDays } from '../times.ts'
import { createAtomically, fileToWrite, folderToMake, withTemporaryPath, writeFileAtomically } from '../userFile.ts'
import { accountOf, formatFor, outputOption, usage } from './usage.ts'

export interface ExportOptions {
  dataDir?: string
  what: 'chats' | 'media' | 'requests' | 'usage' | 'all'
  format?: 'zip' | 'markdown' | 'csv' | 'json' | 'parquet'
  /** A file, or `-` for standard output (default). For `media` and `all` a folder. */
  output?: string
  since?: string
  until?: string
  account?: string
  /** Overwrite an existing file. */
  force: boolean
  json: boolean
}

const formats = {
  chats: ['zip', 'markdown'],
  media: [],
  requests: ['csv', 'json', 'parquet'],
  usage: ['csv', 'json', 'parquet'],
  all: ['csv', 'json', 'parquet'],
} as const
const endings = { zip: 'zip', markdown: 'md', csv: 'csv', json: 'jsonl', parquet: 'parquet' } as const

/** `export`: writes chats, media, the request log and usage in open formats. Needs no network, no keychain and no core. */
export async function exportData(options: ExportOptions, parts: Parts): Promise<number> {
  const { what, output } = options
  const ended = endedFormat(options)
  const format = options.format ?? ended ?? formats[what][0] ?? null
  if (format !== null && !formats[what].some((one) => one === format)) {
    throw usageError(what === 'media' ? t('export.media') : t('export.formats', { what, formats: or(formats[what]) }))
  }
  const dataDir = findDataDir(options.dataDir)
  const asked: Asked = { ...options, ...readDays(options), dataDir }
  if (what === 'all') return exportAll(asked, parts)
  if (what === 'media' || format === null) {
    const folder = await folderFor(output, 'media')
    await createAtomically(folder, async (part) => {
      await exportMedia(part, folder, asked, parts)
    })
    if (options.json) printJson({ written: folder })
    return exitCodes.ok
  }
  const file = await exportOne(what, format, output, asked, parts)
  if (options.json && file !== null) printJson({ written: file })
  return exitCodes.ok
}

/** The format that `--json` or the name of the file says, where the data has it. */
function endedFormat({ what, output, json }: ExportOptions): 'csv' | 'json' | 'parquet' | null {
  if (what !== 'requests' && what !== 'usage') return null
  const format = formatFor<never>(output, { json: json && (output === undefined || output === '-') })
  return format === 'lines' ? 'json' : format === 'table' ? null : format
}

/** Writes a folder with one file or folder per kind of data. */
async function exportAll(asked: Asked, parts: Parts): Promise<number> {
  const { format = 'csv' } = asked
  const folder = await folderFor(asked.output, 'export')
  await createAtomically(folder, async (part) => {
    await mkdir(part, { mode: 0o700 })
    await exportMedia(join(part, 'media'), join(folder, 'media'), asked, parts).catch(warnIfEmpty)
    for (const [what, how] of [
      ['chats', 'zip'],
      ['requests', format],
      ['usage', format],
    ] as const) {
      const file = join(part, `${what}.${endings[how]}`)
      await exportOne(what, how, file, asked, parts).catch(warnIfEmpty)
    }
  })
  if (asked.json) printJson({ written: folder })
  else tell('info', t('wrote', { path: folder }))
  return exitCodes.ok
}

/** Logs a warning for data that does not exist, so that the rest of the export continues. */
function warnIfEmpty(thrown: unknown): void {
  if (!(thrown instanceof StudioError && thrown.kind === 'no_such_item')) throw thrown
  tell('warn', wordsOf(thrown))
}

/** The folder to create. @throws StudioError `bad_input` for standard output or an existing path */
async function folderFor(output: string | undefined, what: 'media' | 'export'): Promise<string> {
  if (output === '-') throw usageError(t('export.severalFiles'))
  return folderToMake(output ?? `inference-studio-${what}-${new Date().toISOString().slice(0, 10)}`, '--output')
}

/** @param shown the final path of the folder, for the message */
async function exportMedia(folder: string, shown: string, asked: Asked, parts: Parts): Promise<void> {
  const from = await parts.openExport(asked.dataDir)
  try {
    const { files, missing } = await from.media(folder, rangeOf(asked))
    const written = t('export.written', { count: files, folder: shown })
    if (missing === 0) tell('info', written)
    else tell('warn', `${written} ${t('export.leftOut', { count: missing })}`)
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
): Promise<string | null> {
  const file = output === undefined || output === '-' ? null : await fileToWrite(output, outputOption(asked))
  const binary = format === 'zip' || format === 'parquet'
  if (binary && file === null && process.stdout.isTTY) {
    throw usageError(t('export.binary', { format, file: `${what}.${endings[format]}` }))
  }
  if (binary && file === null && asked.json) throw usageError(t('export.noJson', { format }))
  if (what === 'usage') {
    await exportUsage(format, file, asked, parts)
    return file
  }
  const range = rangeOf(asked)
  const from = await parts.openExport(asked.dataDir)
  try {
    if (what === 'requests') {
      const account = await accountIdOf(asked, parts)
      if (format === 'csv' || format === 'json' || format === 'parquet') {
        const rows = from.requests(format, range, account)
        await put(formatFor(output, { format, json: false }) === 'json' ? asArray(rows) : rows, file)
      }
    } else if (format === 'markdown') await put(from.markdown(range), file)
    else await putArchive(from, range, file)
  } finally {
    from.close()
  }
  return file
}

/** Exports usage by model and day from both sources, from the first known day on. */
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
  // All known days may be after `until`. Then the table is empty instead of an error.
  const from = since ?? (first !== undefined && until !== undefined && first > until ? until : first)
  await usage(
    {
      dataDir,
      format,
      by: 'model',
      source: 'both',
      each: 'day',
      json: false,
      // `fileToWrite` has refused an existing file, or the person wants it overwritten.
      force: true,
      ...(account !== undefined && { account }),
      ...(from !== undefined && { since: from }),
      ...(until !== undefined && { until }),
      ...(file !== null && { output: file }),
    },
    parts,
  )
}

/** Converts days (UTC, both included) to a half-open range of instants. */
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

/** Writes the zip to a file. For standard output it is written to a temporary file first, because a zip needs seeking. */
async function putArchive(from: DataExport, range: ExportRange, file: string | null): Promise<void> {
  if (file !== null) return createAtomically(file, (part) => from.archive(part, range))
  await withTemporaryPath(tmpdir(), async (part) => {
    await from.archive(part, range)
    await put(createReadStream(part), null)
  })
}

/** JSON lines as one array, with one document per line. */
async function* asArray(lines: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('[')
  let isFirst = true
  let isStart = true
  for await (const bytes of lines) {
    const parts: Uint8Array[] = []
    for (let at = 0; at < bytes.length; ) {
      const feed = bytes.indexOf(lineFeed, at)
      const end = feed < 0 ? bytes.length : feed
      if (isStart && end > at) {
        parts.push(Buffer.from(isFirst ? '\n' : ',\n'))
        isFirst = false
        isStart = false
      }
      parts.push(bytes.subarray(at, end))
      if (feed >= 0) isStart = true
      at = end + 1
    }
    yield Buffer.concat(parts)
  }
  yield Buffer.from('\n]\n')
}

const lineFeed = 0x0a

async function put(content: AsyncIterable<Uint8Array>, file: string | null): Promise<void> {
  if (file !== null) return writeFileAtomically(file, content)
  for await (const bytes of content) await writeOutput(bytes)
}
