/**
 * `counted_prompts` describes the request of a reply, so that the tokens that the service counted for it can be compared with the next
 * request: `characters` of its text, and `hash` of everything in it that has tokens.
 *
 * `summaries` are summaries that were written and not used yet. A summary was paid for, so it is stored before it is shown.
 */
export const sql = `
CREATE TABLE counted_prompts (
  message_id  TEXT PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
  characters  INTEGER NOT NULL,
  hash        TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE summaries (
  id           TEXT PRIMARY KEY,
  up_to        TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  model        TEXT NOT NULL,
  text         TEXT NOT NULL,
  requests     INTEGER NOT NULL,
  request_row  INTEGER,
  cost         TEXT,
  cost_is      TEXT NOT NULL CHECK (cost_is IN ('unknown', 'estimated', 'measured')),
  created_at   TEXT NOT NULL
) STRICT;
CREATE INDEX summaries_by_message ON summaries (up_to);
`
