import { randomUUID } from 'node:crypto'
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asStudioError } from '../errors.ts'
import { accountTables } from '../store/schemaDocs/account.ts'
import { bodiesTables, requestLogTables } from '../store/schemaDocs/requestLog.ts'
import { studioTables } from '../store/schemaDocs/studio.ts'
import type { DescribedTables } from '../store/schemaDocs/tables.ts'

// What lies in the data folder, told in the folder: who looks into it in ten years may not have the program.

export const readmeName = 'README.txt'

/** Of each database what it holds and its tables: as they are made by this version. */
export const described: Record<string, { about: string; tables: DescribedTables }> = {
  'studio.sqlite': {
    about: 'What a person wrote, made and decided. Times are UTC instants (ISO 8601), flags are 0 or 1.',
    tables: studioTables,
  },
  'ledger.sqlite': { about: 'Every request of this machine, and sums of them.', tables: requestLogTables },
  'bodies.sqlite': { about: 'The texts of requests that were to be kept.', tables: bodiesTables },
  'account.sqlite': {
    about: 'What the service said of its accounts, for ever: the service itself forgets after 30 days.',
    tables: accountTables,
  },
}

const columns = 100

/** The words of `README.txt`. */
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

/** How a file of ours is told from another program's README. */
const firstLine = 'The data of Inference Studio'

const head = [
  firstLine,
  '============================',
  '',
  'This folder is all that the studio keeps. No API key lies in it: keys are in the keychain of the system.',
  '',
  '  studio.sqlite    chats, media, settings',
  '  ledger.sqlite    every request',
  '  bodies.sqlite    texts of requests that were to be kept',
  '  account.sqlite   what the service said: usage, balance, keys, limits',
  '  media/           sound and pictures, whole; "media" in studio.sqlite says what each is',
  '  making/          sound that is still being recorded or made',
  '  damaged/         files that were damaged, by date; what could be read of them was recovered',
  '  replaced/        what a restored backup replaced, by date',
  '  studio.folder.json   tells the program that this folder is its own',
  '  all else         the program’s own, and worth nothing once it has ended',
  '',
  'Nothing reads damaged/ and replaced/: they are yours to delete.',
  '',
  'The databases are SQLite. Any tool can look in, also while the studio runs; open them to read only:',
  '',
  '  sqlite3 -readonly ledger.sqlite',
  '',
  'Spend of each day and model, as this machine counted it, in SC:',
  '',
  "  SELECT date(day * 86400, 'unixepoch') AS date, model, sum(requests), sum(cost) / 1e9 AS sc",
  '  FROM use_days JOIN callers ON callers.id = caller GROUP BY day, model;',
  '',
  'The same as the service tells it (account.sqlite):',
  '',
  '  SELECT date, model, requests, cost_millionths / 1e6 + cost_below / 1e18 AS sc',
  "  FROM days WHERE what = 'usage' ORDER BY day, model;",
  '',
  'To copy everything while the studio runs: inference-studio backup. Copying the files by hand is safe',
  'once the studio has ended.',
]

/** Lines of at most a hundred characters; `further` stands before all but the first. */
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

/** Writes the file where it is missing or an older one of ours. Somebody else's file of that name stays. A failure is no reason not to start. */
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
