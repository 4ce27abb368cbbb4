/** Generated from the migrations by `npm run schema`. Do not edit. */
export const bodySnapshot = {
  version: 2,
  sql: `
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
`,
}
