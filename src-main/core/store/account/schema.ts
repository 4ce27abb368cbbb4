import type { DatabaseKind } from '../database.ts'
import accountSnapshot from '../migrations/snapshots/account.json' with { type: 'json' }

// The SQL of a migration never changes, spaces included: a restored backup is compared with it.
const reportColumns = `  book             INTEGER NOT NULL REFERENCES books (no) ON DELETE CASCADE,
  what             TEXT NOT NULL,`
const figureColumns = `  requests         INTEGER NOT NULL,
  tokens_in        INTEGER NOT NULL,
  tokens_out       INTEGER NOT NULL,
  tokens_cached    INTEGER,
  cost_millionths  INTEGER,
  cost_below       INTEGER,`

/**
 * What the service reported about accounts, permanently. `at` and similar columns: when it was requested, ms since 1970 (UTC). `day`
 * counts days since 1970 of the service's calendar. Money is two whole numbers, millionths of an SC and 1e-18 SC below them, so that sums
 * are exact. `what` is the report: `usage` (the account's days and its balance), `keys` (the list of records), `current` (the calling
 * key's record, when there is no list), `days:KEY`, `totals:KEY`. In `versions`, `what` names the value: `account`, `key:KEY`,
 * `current:KEY`, `totals:KEY`.
 *
 * `fetches` has the time of each report, so that everything else can be written in any order. Nothing is known between two fetches; at a
 * fetch, the last row at or before it is valid. `days` has the first and the current figures of a day's row. `closed` has its figures
 * after the day had ended (UTC), a row for each change; `corrects` marks a change after another fetch had already seen the ended day.
 * `coverage` sums up the fetches by day.
 */
const first = `
CREATE TABLE books (
  no           INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  kind         TEXT NOT NULL CHECK (kind IN ('service', 'sandbox')),
  base_url     TEXT NOT NULL,
  user_id      TEXT,
  name         TEXT NOT NULL,
  calling_key  TEXT,
  offers       TEXT NOT NULL DEFAULT 'unknown' CHECK (offers IN ('yes', 'no', 'unknown')),
  asked_at     INTEGER,
  used_at      INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX books_by_place ON books (base_url, coalesce(user_id, ''));

CREATE TABLE fetches (
  book      INTEGER NOT NULL REFERENCES books (no) ON DELETE CASCADE,
  what      TEXT NOT NULL,
  at        INTEGER NOT NULL,
  from_day  INTEGER,
  to_day    INTEGER,
  PRIMARY KEY (book, what, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE coverage (
  book       INTEGER NOT NULL REFERENCES books (no) ON DELETE CASCADE,
  what       TEXT NOT NULL,
  day        INTEGER NOT NULL,
  first_at   INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  closed_at  INTEGER,
  PRIMARY KEY (book, what, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE days (
${reportColumns}
  day              INTEGER NOT NULL,
  model            TEXT NOT NULL,
${figureColumns}
  first_at         INTEGER NOT NULL,
  first_requests         INTEGER NOT NULL,
  first_tokens_in        INTEGER NOT NULL,
  first_tokens_out       INTEGER NOT NULL,
  first_tokens_cached    INTEGER,
  first_cost_millionths  INTEGER,
  first_cost_below       INTEGER,
  date             TEXT NOT NULL,
  PRIMARY KEY (book, what, day, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE closed (
${reportColumns}
  day              INTEGER NOT NULL,
  model            TEXT NOT NULL,
  at               INTEGER NOT NULL,
  corrects         INTEGER NOT NULL,
${figureColumns}
  PRIMARY KEY (book, what, day, model, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX corrections ON closed (book, day) WHERE corrects = 1;

CREATE TABLE versions (
  book   INTEGER NOT NULL REFERENCES books (no) ON DELETE CASCADE,
  what   TEXT NOT NULL,
  at     INTEGER NOT NULL,
  value  TEXT NOT NULL,
  PRIMARY KEY (book, what, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE undated (
${reportColumns}
  date             TEXT NOT NULL,
  model            TEXT NOT NULL,
  at               INTEGER NOT NULL,
${figureColumns}
  PRIMARY KEY (book, what, date, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE limits (
  book   INTEGER PRIMARY KEY REFERENCES books (no) ON DELETE CASCADE,
  at     INTEGER NOT NULL,
  value  TEXT NOT NULL
) STRICT;
`

/**
 * Which account each profile used at which base address. Two profiles there may be two accounts, even when the service reports no user. The
 * empty profile belongs to the profile that connects there first: it has data from before there were profiles, and of deleted profiles.
 */
const places = `
DROP INDEX books_by_place;
CREATE UNIQUE INDEX books_by_user ON books (base_url, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX books_by_place ON books (base_url);

CREATE TABLE places (
  profile   TEXT NOT NULL,
  base_url  TEXT NOT NULL,
  book      INTEGER NOT NULL REFERENCES books (no) ON DELETE CASCADE,
  PRIMARY KEY (profile, base_url)
) STRICT, WITHOUT ROWID;
INSERT INTO places (profile, base_url, book)
  SELECT '', base_url, no FROM books WHERE kind = 'service'
  ORDER BY used_at, no
  ON CONFLICT (profile, base_url) DO UPDATE SET book = excluded.book;
`

/**
 * How many of the rows of one day and model lacked each figure, as JSON (`{"cost":1}`); null when they lacked none. Without it, a figure
 * that the service left out would count as zero.
 */
const missing = `
ALTER TABLE days ADD COLUMN missing TEXT;
ALTER TABLE days ADD COLUMN first_missing TEXT;
ALTER TABLE closed ADD COLUMN missing TEXT;
ALTER TABLE undated ADD COLUMN missing TEXT;
`

/** The sandbox is one account: its place is the same at each start, whatever its port. */
const sandboxPlace = `
DELETE FROM books WHERE kind = 'sandbox' AND no < (SELECT max(no) FROM books WHERE kind = 'sandbox');
UPDATE OR REPLACE places SET base_url = 'sandbox' WHERE book IN (SELECT no FROM books WHERE kind = 'sandbox');
UPDATE books SET base_url = 'sandbox' WHERE kind = 'sandbox';
`

/** "ISac". Replies that a power cut loses are fetched again. */
export const accountDatabase: DatabaseKind = {
  applicationId: 0x49536163,
  migrations: [first, places, missing, sandboxPlace],
  snapshot: accountSnapshot,
  synchronous: 'NORMAL',
}
