/** Generated from the migrations by `npm run schema`. Do not edit. */
export const accountSnapshot = {
  version: 2,
  sql: `
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
  book             INTEGER NOT NULL REFERENCES books (no) ON DELETE CASCADE,
  what             TEXT NOT NULL,
  day              INTEGER NOT NULL,
  model            TEXT NOT NULL,
  requests         INTEGER NOT NULL,
  tokens_in        INTEGER NOT NULL,
  tokens_out       INTEGER NOT NULL,
  tokens_cached    INTEGER,
  cost_millionths  INTEGER,
  cost_below       INTEGER,
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
  book             INTEGER NOT NULL REFERENCES books (no) ON DELETE CASCADE,
  what             TEXT NOT NULL,
  day              INTEGER NOT NULL,
  model            TEXT NOT NULL,
  at               INTEGER NOT NULL,
  corrects         INTEGER NOT NULL,
  requests         INTEGER NOT NULL,
  tokens_in        INTEGER NOT NULL,
  tokens_out       INTEGER NOT NULL,
  tokens_cached    INTEGER,
  cost_millionths  INTEGER,
  cost_below       INTEGER,
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
  book             INTEGER NOT NULL REFERENCES books (no) ON DELETE CASCADE,
  what             TEXT NOT NULL,
  date             TEXT NOT NULL,
  model            TEXT NOT NULL,
  at               INTEGER NOT NULL,
  requests         INTEGER NOT NULL,
  tokens_in        INTEGER NOT NULL,
  tokens_out       INTEGER NOT NULL,
  tokens_cached    INTEGER,
  cost_millionths  INTEGER,
  cost_below       INTEGER,
  PRIMARY KEY (book, what, date, model)
) STRICT, WITHOUT ROWID;
CREATE TABLE limits (
  book   INTEGER PRIMARY KEY REFERENCES books (no) ON DELETE CASCADE,
  at     INTEGER NOT NULL,
  value  TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX books_by_user ON books (base_url, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX books_by_place ON books (base_url);
CREATE TABLE places (
  profile   TEXT NOT NULL,
  base_url  TEXT NOT NULL,
  book      INTEGER NOT NULL REFERENCES books (no) ON DELETE CASCADE,
  PRIMARY KEY (profile, base_url)
) STRICT, WITHOUT ROWID;
`,
}
