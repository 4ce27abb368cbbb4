import type { DatabaseKind } from '../database.ts'
import bodySnapshot from '../migrations/snapshots/bodies.json' with { type: 'json' }
import requestLogSnapshot from '../migrations/snapshots/ledger.json' with { type: 'json' }

/**
 * Times: `at` in ms since 1970 (UTC), the rest in microseconds from the row's opening. Money in billionths of an SC. `day` counts days
 * since 1970 (UTC). A row whose `outcome` is NULL is in progress, or was when the program died. It is in no index, so that opening a row
 * touches one page. The columns that a text search reads are first in a row, because a search reads them a million times.
 */
const first = `
CREATE TABLE callers (
  id     INTEGER PRIMARY KEY,
  who    TEXT NOT NULL,
  model  TEXT,
  many   INTEGER NOT NULL DEFAULT 0 CHECK (many IN (0, 1))
) STRICT;

CREATE TABLE requests (
  id               INTEGER PRIMARY KEY,
  at               INTEGER NOT NULL,
  caller           INTEGER NOT NULL,
  endpoint         INTEGER NOT NULL,
  outcome          INTEGER,
  request_id       TEXT,
  problem_message  TEXT,
  problem_kind     TEXT,
  path             TEXT,
  model            TEXT,
  stream           INTEGER NOT NULL DEFAULT 0,
  state            INTEGER,
  status           INTEGER,
  attempts         INTEGER NOT NULL DEFAULT 0,
  queued_us        INTEGER NOT NULL DEFAULT 0,
  backoff_us       INTEGER NOT NULL DEFAULT 0,
  connect_us       INTEGER,
  first_byte_us    INTEGER,
  duration_us      INTEGER,
  bytes_up         INTEGER NOT NULL DEFAULT 0,
  bytes_down       INTEGER NOT NULL DEFAULT 0,
  tokens_in        INTEGER,
  tokens_out       INTEGER,
  tokens_cached    INTEGER,
  tokens_are       INTEGER NOT NULL DEFAULT 2,
  cost             INTEGER,
  cost_is          INTEGER NOT NULL DEFAULT 2,
  has_bodies       INTEGER NOT NULL DEFAULT 0,
  times            INTEGER NOT NULL DEFAULT 1,
  cancelled_by     INTEGER,
  retried_after    TEXT,
  method           TEXT,
  origin           TEXT
) STRICT;
CREATE INDEX requests_by_caller ON requests (caller, outcome) WHERE outcome IS NOT NULL;

CREATE TABLE spend (
  who            TEXT NOT NULL,
  day            INTEGER NOT NULL,
  requests       INTEGER NOT NULL,
  tokens_in      INTEGER NOT NULL,
  tokens_out     INTEGER NOT NULL,
  tokens_cached  INTEGER NOT NULL,
  cost           INTEGER NOT NULL,
  estimated      INTEGER NOT NULL,
  unpriced       INTEGER NOT NULL,
  PRIMARY KEY (who, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE spend_resets (
  who        TEXT PRIMARY KEY,
  cost       INTEGER NOT NULL,
  estimated  INTEGER NOT NULL,
  at         INTEGER NOT NULL
) STRICT;

CREATE TABLE prices (
  base_url  TEXT NOT NULL,
  model     TEXT NOT NULL,
  how       TEXT NOT NULL,
  fresh     TEXT NOT NULL,
  cached    TEXT NOT NULL,
  out       TEXT NOT NULL,
  request   TEXT NOT NULL,
  days      INTEGER NOT NULL,
  as_of     INTEGER NOT NULL,
  PRIMARY KEY (base_url, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE facts (
  name   TEXT PRIMARY KEY,
  value  INTEGER NOT NULL
) STRICT;
`

/**
 * Sums of the ended rows by account, day (UTC) and caller, updated with each row that ends, and computed here once for existing rows. Costs
 * are added in two halves, so that rows with absurd costs cannot overflow a sum. `links` has the account of a row by its id. Rows from
 * before this migration belong to the service whose prices were estimated last, whatever account is connected there next. The index has the
 * few rows that the service answered with 429, at the end or before a retry.
 */
const use = `
CREATE INDEX requests_limited ON requests (id) WHERE (status = 429 AND outcome <> 2) OR instr(retried_after, '429') > 0;

CREATE TABLE accounts (
  id        INTEGER PRIMARY KEY,
  base_url  TEXT NOT NULL,
  book      TEXT
) STRICT;

CREATE TABLE links (
  first_row  INTEGER PRIMARY KEY,
  account    INTEGER NOT NULL
) STRICT;

CREATE TABLE use_days (
  account        INTEGER NOT NULL,
  day            INTEGER NOT NULL,
  caller         INTEGER NOT NULL,
  requests       INTEGER NOT NULL,
  tokens_in      INTEGER NOT NULL,
  tokens_out     INTEGER NOT NULL,
  tokens_cached  INTEGER NOT NULL,
  cost           INTEGER NOT NULL,
  estimated      INTEGER NOT NULL,
  unpriced       INTEGER NOT NULL,
  failed         INTEGER NOT NULL,
  PRIMARY KEY (account, day, caller)
) STRICT, WITHOUT ROWID;

INSERT INTO accounts (id, base_url, book)
  SELECT 1, coalesce((SELECT base_url FROM prices ORDER BY as_of DESC LIMIT 1), ''), NULL;
INSERT INTO links (first_row, account) VALUES (0, 1);
INSERT INTO use_days
  SELECT 1, day, caller, n, tokens_in, tokens_out, tokens_cached,
    CASE WHEN high >= 9223372036 THEN 9223372036854775807 ELSE high * 1000000000 + low END, estimated, unpriced, failed
  FROM (
    SELECT at / 86400000 AS day, caller, count(*) AS n, sum(coalesce(tokens_in, 0)) AS tokens_in,
      sum(coalesce(tokens_out, 0)) AS tokens_out, sum(coalesce(tokens_cached, 0)) AS tokens_cached,
      sum(coalesce(cost, 0) / 1000000000) AS high, sum(coalesce(cost, 0) % 1000000000) AS low,
      sum(cost IS NOT NULL AND cost_is = 1) AS estimated, sum(cost IS NULL) AS unpriced, sum(outcome = 1) AS failed
    FROM requests NOT INDEXED WHERE outcome IS NOT NULL AND outcome <> 2 GROUP BY 1, 2
  );
`

/**
 * Two profiles at one base address may be two accounts. So rows wait for their account, and prices are estimated, by profile. Rows from
 * before ('') go to the profile that is connected there first.
 */
const profiles = `
ALTER TABLE accounts ADD COLUMN profile TEXT NOT NULL DEFAULT '';

CREATE TABLE prices_of_profiles (
  profile   TEXT NOT NULL,
  base_url  TEXT NOT NULL,
  model     TEXT NOT NULL,
  how       TEXT NOT NULL,
  fresh     TEXT NOT NULL,
  cached    TEXT NOT NULL,
  out       TEXT NOT NULL,
  request   TEXT NOT NULL,
  days      INTEGER NOT NULL,
  as_of     INTEGER NOT NULL,
  PRIMARY KEY (profile, base_url, model)
) STRICT, WITHOUT ROWID;
INSERT INTO prices_of_profiles
  SELECT '', base_url, model, how, fresh, cached, out, request, days, as_of FROM prices;
DROP TABLE prices;
ALTER TABLE prices_of_profiles RENAME TO prices;
`

/** The part of `backoff_us` after a 429; NULL in rows from before this was recorded. */
const limited = `
ALTER TABLE requests ADD COLUMN backoff_429_us INTEGER;
`

/**
 * Requests in another vendor's API (`dialect`: 0 Responses, 1 Messages; NULL: chat completions), the model that the app asked for when it is
 * not the one that was sent, the model that the reply names when it is another, why the reply ended, and what had no effect (JSON list).
 */
const translated = `
ALTER TABLE requests ADD COLUMN dialect INTEGER;
ALTER TABLE requests ADD COLUMN asked_model TEXT;
ALTER TABLE requests ADD COLUMN answered_model TEXT;
ALTER TABLE requests ADD COLUMN finish_reason TEXT;
ALTER TABLE requests ADD COLUMN ignored TEXT;
`

/** The fields of a chat request that were changed as its app allows (JSON list). */
const adapted = `
ALTER TABLE requests ADD COLUMN adapted TEXT;
`

/**
 * Requests of one conversation of an app (`sessions`), with sums that grow with each of its `turns`. `conversation`: hash of the id that the
 * app sent; NULL where the session was found by its growing history. A turn stores the sections of its prompt from `kept` on, as JSON: those
 * before are the same in the request `previous`. No text of a prompt is in them. `lost_cost` is NULL where the prices are
 * unknown.
 */
const sessions = `
CREATE TABLE sessions (
  id             INTEGER PRIMARY KEY,
  who            TEXT NOT NULL,
  conversation   TEXT,
  model          TEXT,
  began          INTEGER NOT NULL,
  ended          INTEGER NOT NULL,
  last_request   INTEGER NOT NULL,
  turns          INTEGER NOT NULL,
  tool_calls     INTEGER NOT NULL,
  tokens_in      INTEGER NOT NULL,
  tokens_cached  INTEGER NOT NULL,
  tokens_out     INTEGER NOT NULL,
  cost           INTEGER NOT NULL,
  estimated      INTEGER NOT NULL,
  unpriced       INTEGER NOT NULL,
  duration_us    INTEGER NOT NULL,
  lost_turns     INTEGER NOT NULL,
  lost_tokens    INTEGER NOT NULL,
  lost_cost      INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_last ON sessions (last_request);
CREATE INDEX sessions_by_conversation ON sessions (who, conversation) WHERE conversation IS NOT NULL;

CREATE TABLE turns (
  request       INTEGER PRIMARY KEY,
  session       INTEGER NOT NULL,
  previous      INTEGER,
  kept          INTEGER NOT NULL,
  change        INTEGER NOT NULL,
  kind          INTEGER,
  place         INTEGER,
  name          TEXT,
  lost_tokens   INTEGER NOT NULL,
  lost_are      INTEGER NOT NULL,
  lost_cost     INTEGER,
  tools         INTEGER NOT NULL,
  messages      INTEGER NOT NULL,
  tool_calls    INTEGER NOT NULL,
  sections      TEXT NOT NULL
) STRICT;
CREATE INDEX turns_by_session ON turns (session, request);
`

/** What a person answered when the request waited for an answer (`answers` in codes.ts); NULL: nobody was asked. */
const answered = `
ALTER TABLE requests ADD COLUMN answer INTEGER;
`

const firstBodies = `
CREATE TABLE bodies (
  id               INTEGER PRIMARY KEY,
  who              TEXT NOT NULL,
  at               INTEGER NOT NULL,
  size             INTEGER NOT NULL,
  request_bytes    INTEGER,
  request_capped   INTEGER,
  reply_bytes      INTEGER,
  reply_capped     INTEGER,
  request_headers  TEXT,
  reply_headers    TEXT,
  request_text     TEXT,
  reply_text       TEXT
) STRICT;
CREATE INDEX bodies_by_who ON bodies (who, at, size);
`

/**
 * Responses of the Responses API that apps asked to store. `request` is the row of the log. `response_items` finds the response of an item.
 */
const responses = `
CREATE TABLE responses (
  id        TEXT PRIMARY KEY,
  who       TEXT NOT NULL,
  at        INTEGER NOT NULL,
  request   INTEGER NOT NULL,
  previous  TEXT,
  size      INTEGER NOT NULL,
  input     TEXT NOT NULL,
  reply     TEXT NOT NULL
) STRICT;
CREATE INDEX responses_by_who ON responses (who, at, size);
CREATE INDEX responses_by_request ON responses (request);

CREATE TABLE response_items (
  who       TEXT NOT NULL,
  id        TEXT NOT NULL,
  response  TEXT NOT NULL,
  PRIMARY KEY (who, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX response_items_by_response ON response_items (response);
`

/** The request that a person asked again (`again_of`), and when the parts of a reply arrived: JSON list of ms and bytes. */
const again = `
ALTER TABLE bodies ADD COLUMN again_of INTEGER;
ALTER TABLE bodies ADD COLUMN reply_times TEXT;
`

/** "ISle". A checkpoint every 4,000 pages (16 MB), so that the pages that every row touches are written once for thousands of rows. */
export const requestLogDatabase: DatabaseKind = {
  applicationId: 0x49536c65,
  migrations: [first, use, profiles, limited, translated, adapted, sessions, answered],
  snapshot: requestLogSnapshot,
  synchronous: 'NORMAL',
  pragmas: 'PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 4000',
}

/** "ISbo". Deleted content is overwritten with zeros, and the file releases its pages. */
export const bodyDatabase: DatabaseKind = {
  applicationId: 0x4953626f,
  migrations: [firstBodies, responses, again],
  snapshot: bodySnapshot,
  synchronous: 'NORMAL',
  pragmas: 'PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = ON',
}
