/**
 * The first tables. Times are UTC instants as ISO 8601 text, which sorts as text. Flags are 0 or 1. Structured values are JSON text. `seq`
 * orders rows that were created in the same millisecond.
 */
export const sql = `
CREATE TABLE conversations (
  id           TEXT PRIMARY KEY,
  title        TEXT,
  model        TEXT,
  draft        TEXT NOT NULL DEFAULT '',
  leaf_id      TEXT REFERENCES messages (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
  path_length  INTEGER NOT NULL DEFAULT 0,
  created_at   TEXT NOT NULL,
  updated_at   TEXT NOT NULL,
  removed_at   TEXT
) STRICT;
CREATE INDEX conversations_by_update ON conversations (updated_at DESC) WHERE removed_at IS NULL;
CREATE INDEX conversations_by_leaf ON conversations (leaf_id);

CREATE TABLE messages (
  seq              INTEGER PRIMARY KEY AUTOINCREMENT,
  id               TEXT NOT NULL UNIQUE,
  conversation_id  TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  parent_id        TEXT REFERENCES messages (id) ON DELETE CASCADE,
  role             TEXT NOT NULL CHECK (role IN ('system', 'developer', 'user', 'assistant', 'tool')),
  text             TEXT NOT NULL DEFAULT '',
  reasoning        TEXT NOT NULL DEFAULT '',
  refusal          TEXT NOT NULL DEFAULT '',
  tool_calls       TEXT NOT NULL DEFAULT '[]',
  status           TEXT NOT NULL CHECK (status IN ('pending', 'streaming', 'complete', 'stopped', 'incomplete', 'failed')),
  problem          TEXT,
  model            TEXT,
  finish_reason    TEXT,
  usage            TEXT,
  created_at       TEXT NOT NULL,
  finished_at      TEXT,
  first_token_ms   REAL,
  reasoning_ms     REAL,
  request_id       TEXT
) STRICT;
CREATE INDEX messages_by_parent ON messages (conversation_id, parent_id, seq);
CREATE INDEX messages_by_parent_alone ON messages (parent_id);
CREATE INDEX messages_unfinished ON messages (status) WHERE status IN ('pending', 'streaming');

CREATE TABLE pieces (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id  TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  field       TEXT NOT NULL CHECK (field IN ('text', 'reasoning', 'refusal', 'tool_calls')),
  content     TEXT NOT NULL
) STRICT;
CREATE INDEX pieces_by_message ON pieces (message_id, seq);

CREATE TABLE profiles (
  id              TEXT PRIMARY KEY,
  name            TEXT NOT NULL,
  kind            TEXT NOT NULL CHECK (kind IN ('sandbox', 'service')),
  base_url        TEXT NOT NULL,
  key_kept        TEXT NOT NULL CHECK (key_kept IN ('keychain', 'session', 'sandbox', 'none')),
  allow_insecure  INTEGER NOT NULL DEFAULT 0 CHECK (allow_insecure IN (0, 1)),
  active          INTEGER NOT NULL DEFAULT 0 CHECK (active IN (0, 1)),
  updated_at      TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX profiles_one_of_a_kind ON profiles (kind);
CREATE UNIQUE INDEX profiles_one_active ON profiles (active) WHERE active = 1;

CREATE TABLE model_lists (
  base_url  TEXT PRIMARY KEY,
  models    TEXT NOT NULL,
  as_of     TEXT NOT NULL
) STRICT;

CREATE TABLE settings (
  key    TEXT PRIMARY KEY,
  value  TEXT NOT NULL
) STRICT;

CREATE TABLE tool_keys (
  id            TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  hash          BLOB NOT NULL CHECK (length(hash) = 32),
  created_at    TEXT NOT NULL,
  last_used_at  TEXT,
  revoked_at    TEXT
) STRICT;
`
