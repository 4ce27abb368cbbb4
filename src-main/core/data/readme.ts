import { randomUUID } from 'node:crypto'
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asStudioError } from '../errors.ts'
import { cancellers, certainties, dialects, endpoints, endStates, outcomes } from '../store/requestLog/codes.ts'
import { databases } from './databases.ts'

// Writes README.txt, which describes the data folder: a reader in ten years may not have the program.

export const readmeName = 'README.txt'

const codes = (words: readonly string[]): string => words.map((word, code) => `${code} ${word}`).join(', ')

/** What the names, types and constraints of a file's columns do not say. */
const notes: Record<string, readonly string[]> = {
  'studio.sqlite': [
    'Chats, media and settings. Times are UTC instants (ISO 8601), flags are 0 or 1, costs exact decimals of SC.',
    'messages: a tree for each conversation. Rows with the same parent_id are branches, in the order of seq.',
    'conversations: leaf_id is the last message of the branch that is shown. part_of and part_parent: the row has messages',
    '  that were deleted from that conversation, below that message. removed_at: deleted, permanently some time later.',
    'folders are called projects in the window; folder_files are their files, passages the text of these.',
    'media: one row per file in the folder media, which is named by id. Other tables refer to these ids.',
    'pieces: what has arrived of the replies that are streaming now; otherwise empty.',
    'waiting: requests that are sent when the service is reachable again.',
    'profiles: connections. Their API keys are in the keychain of the system.',
    'tool_keys: apps, which are other programs that use the local /v1. Null means no limit. Keys are stored as SHA-256.',
    'request_row and request_rows: id of requests in ledger.sqlite.',
    'folded: a text in lower case without accents, for searching. search_text and what begins so: search indexes (FTS5).',
  ],
  'ledger.sqlite': [
    'Every request of this computer, and sums of them. at and as_of are ms since 1970 (UTC), day is days since 1970 (UTC).',
    'What ends in _us is microseconds; first_byte_us and connect_us count from the start of the request.',
    'cost is billionths of an SC. tokens_cached is a part of tokens_in.',
    `requests: endpoint ${codes(endpoints)};`,
    `  outcome ${codes(outcomes)}, null in progress;`,
    `  state ${codes(endStates)};`,
    `  tokens_are, cost_is ${codes(certainties)};`,
    `  cancelled_by ${codes(cancellers)}; dialect ${codes(dialects)}, null the service’s own.`,
    '  caller is a row of callers. model is null when callers has it, path when it is the usual one, method for POST.',
    'callers: who is tool:ID (tool_keys in studio.sqlite), studio:FEATURE, or stranger.',
    'use_days, spend: sums, which stay when requests are deleted. estimated and unpriced: how many requests had an estimated',
    '  or no cost.',
    'accounts: book is the number (no) of books in account.sqlite. links: from the row first_row on, up to the next link,',
    '  requests belong to this account.',
    'prices: estimates, in 1e-18 SC per token or request.',
  ],
  'bodies.sqlite': [
    'Bodies of requests of apps that may be logged, and responses that apps asked to store. Without secrets.',
    'id and request: id of requests in ledger.sqlite. who: as there. capped: only the beginning is stored.',
  ],
  'account.sqlite': [
    'What the service reported about its accounts, permanently: the service forgets it after 30 days.',
    'at and what ends in _at are ms since 1970 (UTC). day is days since 1970 in the service’s calendar, date as it wrote it.',
    'A cost is cost_millionths (whole millionths of an SC) and cost_below (1e-18 SC below them).',
    'books: one row per account at a base address. book in other tables is its number (no).',
    'what: usage (days of the account, by model), days:KEY (days of a key), totals:KEY, key:KEY, current:KEY, account.',
    'days: the current figures, and those first reported. closed: figures after the day had ended, one row per change.',
    'coverage: when the service reported about which days. A day without a row is a gap.',
    'missing: JSON, how many of the reported rows lacked a figure. undated: rows whose date can’t be parsed.',
  ],
}

/** The CREATE statements of the tables as the migrations leave them, with one column on a line. */
const tablesOf = (sql: readonly string[]): string[] =>
  [...sql.join('\n').matchAll(/^CREATE (?:VIRTUAL )?TABLE [\s\S]*?;$/gm)].map(([table]) =>
    table.replace(/\n?, (?=\w+ (?:TEXT|INTEGER|REAL|BLOB)\b)/g, ',\n  '),
  )

/** The text of `README.txt`. */
export function folderReadme(): string {
  const files = databases.flatMap(({ file, kind: { snapshot, migrations } }) => [
    '',
    '',
    file,
    '='.repeat(file.length),
    ...(notes[file] ?? []),
    '',
    ...tablesOf(snapshot?.sql ?? migrations),
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
