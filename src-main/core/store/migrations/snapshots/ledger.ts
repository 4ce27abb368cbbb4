/** Generated from the migrations by `npm run schema`. Do not edit. */
export const requestLogSnapshot = {
  version: 5,
  sql: `
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
, backoff_429_us INTEGER, dialect INTEGER, asked_model TEXT, answered_model TEXT, finish_reason TEXT, ignored TEXT) STRICT;
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
CREATE TABLE facts (
  name   TEXT PRIMARY KEY,
  value  INTEGER NOT NULL
) STRICT;
CREATE INDEX requests_limited ON requests (id) WHERE (status = 429 AND outcome <> 2) OR instr(retried_after, '429') > 0;
CREATE TABLE accounts (
  id        INTEGER PRIMARY KEY,
  base_url  TEXT NOT NULL,
  book      TEXT
, profile TEXT NOT NULL DEFAULT '') STRICT;
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
CREATE TABLE "prices" (
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
INSERT INTO "accounts" ("id", "base_url", "book", "profile") VALUES (1, '', NULL, '');
INSERT INTO "links" ("first_row", "account") VALUES (0, 1);
`,
}
