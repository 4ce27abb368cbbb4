import { randomUUID } from 'node:crypto'
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asStudioError } from '../errors.ts'
import { accountTables } from '../store/schemaDocs/account.ts'
import { bodiesTables, requestLogTables } from '../store/schemaDocs/requestLog.ts'
import { studioTables } from '../store/schemaDocs/studio.ts'
import type { DescribedTables } from '../store/schemaDocs/tables.ts'

// Writes README.txt, which describes the data folder: a reader in ten years may not have the program.

export const readmeName = 'README.txt'

/** Purpose and tables of each database, as this version creates them. */
export const described: Record<string, { about: string; tables: DescribedTables }> = {
  'studio.sqlite': {
    about: 'Chats, media and settings. Times are UTC instants (ISO 8601), flags are 0 or 1.',
    tables: studioTables,
  },
  'ledger.sqlite': { about: 'Every request of this computer, and sums of them.', tables: requestLogTables },
  'bodies.sqlite': { about: 'The bodies of requests, if logged.', tables: bodiesTables },
  'account.sqlite': {
    about: 'What the service reported about its accounts, permanently: the service forgets it after 30 days.',
    tables: accountTables,
  },
}

const columns = 100

/** The text of `README.txt`. */
export function folderReadme(): string {
  const files = Object.entries(described).flatMap(([file, { about, tables }]) => [
    '',
    '',
    file,
    '='.repeat(file.length),
    ...wrapped(about, ''),
    ...Object.entries(tables).flatMap(([table, { about: what, columns: all }]) => [
      '',
      table,
      ...wrapped(what, '  '),
      ...Object.entries(all).flatMap(([name, words]) => wrapped(words ? `${name}: ${words}` : name, '    ', '      ')),
    ]),
  ])
  return `${[...head, ...files].join('\n')}\n`
}

/** Distinguishes our file from another program's README. */
const firstLine = 'The data of Inference Studio'

const head = [
  firstLine,
  '============================',
  '',
  'This folder has all data of Inference Studio. API keys are not here, but in the system’s keychain.',
  '',
  '  studio.sqlite    chats, media, settings',
  '  ledger.sqlite    every request',
  '  bodies.sqlite    bodies of requests, if logged',
  '  account.sqlite   what the service reported: usage, balance, keys, limits',
  '  media/           audio and pictures; table "media" in studio.sqlite describes each',
  '  making/          audio that is still being recorded or generated',
  '  damaged/         damaged files, by date; their readable rows were recovered',
  '  replaced/        data that a restored backup replaced, by date',
  '  studio.folder.json   marks this folder as one of Inference Studio',
  '  all else         temporary files of the program, worthless once it has ended',
  '',
  'The program never reads damaged/ and replaced/: you can delete them.',
  '',
  'The databases are SQLite. Any program can read them, even while the studio runs. Open them read-only:',
  '',
  '  sqlite3 -readonly ledger.sqlite',
  '',
  'Cost by day and model, as counted on this computer, in SC:',
  '',
  "  SELECT date(day * 86400, 'unixepoch') AS date, model, sum(requests), sum(cost) / 1e9 AS sc",
  '  FROM use_days JOIN callers ON callers.id = caller GROUP BY day, model;',
  '',
  'The same as reported by the service (account.sqlite):',
  '',
  '  SELECT date, model, requests, cost_millionths / 1e6 + cost_below / 1e18 AS sc',
  "  FROM days WHERE what = 'usage' ORDER BY day, model;",
  '',
  'To copy everything while the studio runs: inference-studio backup. Copying the files by hand is safe',
  'once the studio has ended.',
]

/** Wraps text to lines of at most 100 characters. `further` is the prefix of all lines but the first. */
function wrapped(text: string, first: string, further = first): string[] {
  const lines: string[] = []
  let line = first
  for (const word of text.replaceAll('`', '').split(' ')) {
    const begun = line.trim() !== ''
    if (begun && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = further + word
    } else line += begun ? ` ${word}` : word
  }
  return [...lines, line]
}

/**
 * Writes the file when it is missing or was written by an older version. Another program's file of that name stays. A failure does not
 * prevent the start.
 */
export function writeReadme(dataDir: string, log: (level: 'warn', line: string) => void): void {
  const file = join(dataDir, readmeName)
  const words = folderReadme()
  const fresh = `${file}.${randomUUID().slice(0, 8)}.part`
  try {
    const there = lstatSync(file, { throwIfNoEntry: false })
    if (there) {
      const former = there.isFile() ? readFileSync(file, 'utf8') : ''
      if (former === words || former.split('\n', 1)[0] !== firstLine) return
    }
    writeFileSync(fresh, words, { mode: 0o600, flag: 'wx' })
    renameSync(fresh, file)
  } catch (thrown) {
    rmSync(fresh, { force: true })
    log('warn', `${readmeName} could not be written: ${asStudioError(thrown).message}`)
  }
}
