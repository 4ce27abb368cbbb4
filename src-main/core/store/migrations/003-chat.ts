/**
 * The complete chat feature.
 *
 * `setup` is JSON, empty when nothing was set. `next_id` is the child through which a message was last continued, so that a switch to a
 * branch returns to the leaf at which the branch was left.
 *
 * `search_text` contains folded words, with a space between characters of scripts without spaces. It has no copy of the text itself
 * (`content=''`). Its row ids are `seq * 512 + part`, because a long text has several parts. `indexed`: 0 not yet, 1 complete, 2 must be
 * indexed again because the text changed. The index is merged explicitly in small steps, so that no commit waits for a merge.
 *
 * `erasures` lists what must still be deleted, so that a crash leaves nothing behind. A conversation in that list can't be restored.
 */
export const sql = `
CREATE TABLE folders (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  created_at  TEXT NOT NULL
) STRICT;

ALTER TABLE conversations ADD COLUMN folder_id TEXT REFERENCES folders (id) ON DELETE SET NULL;
ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1));
ALTER TABLE conversations ADD COLUMN archived_at TEXT;
ALTER TABLE conversations ADD COLUMN setup TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN import_key TEXT;
CREATE INDEX conversations_by_folder ON conversations (folder_id) WHERE folder_id IS NOT NULL;
CREATE INDEX conversations_removed ON conversations (removed_at) WHERE removed_at IS NOT NULL;
CREATE INDEX conversations_by_import ON conversations (import_key) WHERE import_key IS NOT NULL;

ALTER TABLE messages ADD COLUMN name TEXT;
ALTER TABLE messages ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]';
ALTER TABLE messages ADD COLUMN run TEXT;
ALTER TABLE messages ADD COLUMN ask_id TEXT;
ALTER TABLE messages ADD COLUMN made TEXT CHECK (made IN ('continue'));
ALTER TABLE messages ADD COLUMN cost TEXT;
ALTER TABLE messages ADD COLUMN cost_is TEXT NOT NULL DEFAULT 'unknown' CHECK (cost_is IN ('measured', 'estimated', 'unknown'));
ALTER TABLE messages ADD COLUMN request_row INTEGER;
ALTER TABLE messages ADD COLUMN params TEXT;
ALTER TABLE messages ADD COLUMN json_faults TEXT;
ALTER TABLE messages ADD COLUMN next_id TEXT;
ALTER TABLE messages ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0 CHECK (indexed IN (0, 1, 2));
CREATE INDEX messages_by_ask ON messages (ask_id) WHERE ask_id IS NOT NULL;
CREATE INDEX messages_open_calls ON messages (conversation_id) WHERE role = 'tool' AND status IN ('pending', 'streaming');
CREATE INDEX messages_not_indexed ON messages (seq) WHERE indexed <> 1 AND status NOT IN ('pending', 'streaming');
CREATE INDEX messages_with_media ON messages (seq) WHERE attachments <> '[]';

CREATE VIRTUAL TABLE search_text USING fts5 (
  body, content = '', contentless_delete = 1, detail = 'full', tokenize = 'ascii', prefix = '1 2'
);
INSERT INTO search_text (search_text, rank) VALUES ('automerge', 0), ('crisismerge', 1000), ('usermerge', 8);

CREATE TRIGGER messages_reworded AFTER UPDATE OF text, refusal ON messages
  WHEN old.indexed = 1 AND (new.text IS NOT old.text OR new.refusal IS NOT old.refusal) BEGIN
  UPDATE messages SET indexed = 2 WHERE seq = new.seq;
END;
CREATE TRIGGER messages_gone AFTER DELETE ON messages WHEN old.indexed <> 0 BEGIN
  DELETE FROM search_text WHERE rowid BETWEEN old.seq * 512 AND old.seq * 512 + 511;
END;

CREATE TABLE erasures (
  what  TEXT NOT NULL CHECK (what IN ('conversation', 'import', 'media', 'request', 'index')),
  item  TEXT NOT NULL,
  PRIMARY KEY (what, item)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER erased_stays_away BEFORE UPDATE OF removed_at ON conversations
  WHEN new.removed_at IS NULL AND EXISTS (SELECT 1 FROM erasures WHERE what IN ('conversation', 'import') AND item = old.id) BEGIN
  SELECT RAISE(IGNORE);
END;

CREATE TABLE media (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL CHECK (kind IN ('image', 'audio')),
  mime        TEXT NOT NULL,
  bytes       INTEGER NOT NULL,
  width       INTEGER,
  height      INTEGER,
  name        TEXT,
  sha256      TEXT NOT NULL,
  created_at  TEXT NOT NULL
) STRICT;
CREATE INDEX media_by_hash ON media (sha256);

CREATE TABLE prompts (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  text        TEXT NOT NULL,
  updated_at  TEXT NOT NULL
) STRICT;

CREATE TABLE presets (
  id            TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  model         TEXT,
  instructions  TEXT,
  params        TEXT NOT NULL,
  updated_at    TEXT NOT NULL
) STRICT;

CREATE TABLE function_tools (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL UNIQUE,
  description  TEXT NOT NULL,
  schema       TEXT NOT NULL,
  strict       INTEGER NOT NULL CHECK (strict IN (0, 1)),
  updated_at   TEXT NOT NULL
) STRICT;

CREATE TABLE mcp_servers (
  id               TEXT PRIMARY KEY,
  name             TEXT NOT NULL,
  transport        TEXT NOT NULL,
  is_on            INTEGER NOT NULL DEFAULT 0 CHECK (is_on IN (0, 1)),
  timeout_seconds  INTEGER NOT NULL,
  updated_at       TEXT NOT NULL
) STRICT;

CREATE TABLE tool_permissions (
  tool_id          TEXT NOT NULL,
  conversation_id  TEXT REFERENCES conversations (id) ON DELETE CASCADE,
  fingerprint      TEXT NOT NULL,
  allowed_at       TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX tool_permissions_one ON tool_permissions (tool_id, coalesce(conversation_id, ''));
`
