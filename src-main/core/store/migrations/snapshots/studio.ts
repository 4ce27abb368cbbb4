/** Generated from the migrations by `npm run schema`. Do not edit. */
export const studioSnapshot = {
  version: 22,
  sql: `
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
, folder_id TEXT REFERENCES folders (id) ON DELETE SET NULL, pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)), archived_at TEXT, setup TEXT NOT NULL DEFAULT '', import_key TEXT, part_of TEXT, part_parent TEXT, named INTEGER NOT NULL DEFAULT 0) STRICT;
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
, name TEXT, attachments TEXT NOT NULL DEFAULT '[]', run TEXT, ask_id TEXT, made TEXT CHECK (made IN ('continue')), cost TEXT, cost_is TEXT NOT NULL DEFAULT 'unknown' CHECK (cost_is IN ('measured', 'estimated', 'unknown')), request_row INTEGER, params TEXT, json_faults TEXT, next_id TEXT, indexed INTEGER NOT NULL DEFAULT 0 CHECK (indexed IN (0, 1, 2)), documents TEXT NOT NULL DEFAULT '[]', passages TEXT NOT NULL DEFAULT '[]', left_out INTEGER NOT NULL DEFAULT 0 CHECK (left_out IN (0, 1)), summarised INTEGER CHECK (summarised > 0)) STRICT;
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
CREATE UNIQUE INDEX profiles_one_active ON profiles (active) WHERE active = 1;
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
, colour TEXT NOT NULL DEFAULT 'blue', expires_at TEXT, paused_at TEXT, models TEXT, endpoints TEXT, requests_per_minute INTEGER CHECK (requests_per_minute > 0), tokens_per_minute INTEGER CHECK (tokens_per_minute > 0), concurrent INTEGER CHECK (concurrent > 0), budget_day TEXT, budget_month TEXT, budget_total TEXT, log_bodies INTEGER NOT NULL DEFAULT 0 CHECK (log_bodies IN (0, 1)), retries INTEGER NOT NULL DEFAULT 1 CHECK (retries IN (0, 1)), fail_fast INTEGER NOT NULL DEFAULT 0 CHECK (fail_fast IN (0, 1)), previous_hash BLOB, previous_until TEXT, model_map TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(model_map))) STRICT;
CREATE TABLE folders (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  created_at  TEXT NOT NULL
, model TEXT, instructions TEXT, params TEXT, whole_tokens INTEGER NOT NULL DEFAULT 8000) STRICT;
CREATE INDEX conversations_by_folder ON conversations (folder_id) WHERE folder_id IS NOT NULL;
CREATE INDEX conversations_removed ON conversations (removed_at) WHERE removed_at IS NOT NULL;
CREATE INDEX conversations_by_import ON conversations (import_key) WHERE import_key IS NOT NULL;
CREATE INDEX messages_by_ask ON messages (ask_id) WHERE ask_id IS NOT NULL;
CREATE INDEX messages_open_calls ON messages (conversation_id) WHERE role = 'tool' AND status IN ('pending', 'streaming');
CREATE INDEX messages_not_indexed ON messages (seq) WHERE indexed <> 1 AND status NOT IN ('pending', 'streaming');
CREATE INDEX messages_with_media ON messages (seq) WHERE attachments <> '[]';
CREATE VIRTUAL TABLE search_text USING fts5 (
  body, content = '', contentless_delete = 1, detail = 'full', tokenize = 'ascii', prefix = '1 2'
);
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
  mime        TEXT NOT NULL,
  bytes       INTEGER NOT NULL,
  width       INTEGER,
  height      INTEGER,
  name        TEXT,
  sha256      TEXT NOT NULL,
  created_at  TEXT NOT NULL
, drafted INTEGER NOT NULL DEFAULT 0 CHECK (drafted IN (0, 1)), kind TEXT NOT NULL DEFAULT 'image' CHECK (kind IN ('image', 'audio', 'document'))) STRICT;
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
, oauth_issuer TEXT) STRICT;
CREATE TABLE tool_permissions (
  tool_id          TEXT NOT NULL,
  conversation_id  TEXT REFERENCES conversations (id) ON DELETE CASCADE,
  fingerprint      TEXT NOT NULL,
  allowed_at       TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX tool_permissions_one ON tool_permissions (tool_id, coalesce(conversation_id, ''));
CREATE TABLE speeches (
  id            TEXT PRIMARY KEY,
  created_at    TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('making', 'done', 'failed', 'cancelled', 'cut')),
  problem       TEXT,
  text          TEXT NOT NULL,
  search        TEXT NOT NULL,
  wish          TEXT NOT NULL,
  mime          TEXT NOT NULL,
  media_id      TEXT REFERENCES media (id),
  seconds       REAL,
  from_id       TEXT,
  favourite     INTEGER NOT NULL DEFAULT 0 CHECK (favourite IN (0, 1)),
  removed_at    TEXT
) STRICT;
CREATE INDEX speeches_by_time ON speeches (created_at);
CREATE INDEX speeches_by_media ON speeches (media_id);
CREATE TABLE speech_parts (
  speech_id     TEXT NOT NULL REFERENCES speeches (id) ON DELETE CASCADE,
  part          INTEGER NOT NULL,
  text_from     INTEGER NOT NULL,
  text_to       INTEGER NOT NULL,
  text_bytes    INTEGER NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('waiting', 'making', 'done', 'failed')),
  problem       TEXT,
  audio_bytes   INTEGER NOT NULL DEFAULT 0,
  seconds       REAL,
  request_rows  TEXT NOT NULL DEFAULT '[]',
  cost          TEXT,
  cost_is       TEXT NOT NULL DEFAULT 'unknown' CHECK (cost_is IN ('measured', 'estimated', 'unknown')),
  PRIMARY KEY (speech_id, part)
) STRICT, WITHOUT ROWID;
CREATE TABLE recordings (
  id            TEXT PRIMARY KEY,
  created_at    TEXT NOT NULL,
  name          TEXT NOT NULL,
  search        TEXT NOT NULL,
  source        TEXT NOT NULL CHECK (source IN ('microphone', 'file', 'speech')),
  state         TEXT NOT NULL CHECK (state IN ('recording', 'kept', 'cut')),
  mime          TEXT NOT NULL,
  bytes         INTEGER NOT NULL,
  seconds       REAL,
  media_id      TEXT REFERENCES media (id),
  from_id       TEXT,
  removed_at    TEXT
) STRICT;
CREATE INDEX recordings_by_time ON recordings (created_at);
CREATE INDEX recordings_by_media ON recordings (media_id);
CREATE TABLE transcripts (
  id            TEXT PRIMARY KEY,
  recording_id  TEXT NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
  created_at    TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('making', 'done', 'failed', 'cancelled', 'cut')),
  problem       TEXT,
  wish          TEXT NOT NULL,
  sent_bytes    INTEGER NOT NULL DEFAULT 0,
  came          TEXT CHECK (came IN ('json', 'text', 'vtt')),
  edited        INTEGER NOT NULL DEFAULT 0 CHECK (edited IN (0, 1)),
  request_rows  TEXT NOT NULL DEFAULT '[]',
  cost          TEXT,
  cost_is       TEXT NOT NULL DEFAULT 'unknown' CHECK (cost_is IN ('measured', 'estimated', 'unknown')),
  search        TEXT NOT NULL DEFAULT '',
  text          TEXT NOT NULL DEFAULT '',
  cues          TEXT NOT NULL DEFAULT '[]',
  raw           TEXT
) STRICT;
CREATE INDEX transcripts_by_recording ON transcripts (recording_id, created_at);
CREATE TABLE drawings (
  id            TEXT PRIMARY KEY,
  created_at    TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('making', 'done', 'failed', 'cancelled', 'cut')),
  problem       TEXT,
  wish          TEXT NOT NULL,
  search        TEXT NOT NULL,
  slots         TEXT NOT NULL,
  from_image_id TEXT,
  took_ms       REAL,
  dismissed     INTEGER NOT NULL DEFAULT 0 CHECK (dismissed IN (0, 1)),
  request_rows  TEXT NOT NULL DEFAULT '[]',
  cost          TEXT,
  cost_is       TEXT NOT NULL DEFAULT 'unknown' CHECK (cost_is IN ('measured', 'estimated', 'unknown'))
) STRICT;
CREATE INDEX drawings_by_time ON drawings (created_at);
CREATE TABLE images (
  id            TEXT PRIMARY KEY,
  drawing_id    TEXT NOT NULL REFERENCES drawings (id) ON DELETE CASCADE,
  created_at    TEXT NOT NULL,
  slot          INTEGER NOT NULL,
  media_id      TEXT NOT NULL REFERENCES media (id),
  thumb_id      TEXT REFERENCES media (id),
  favourite     INTEGER NOT NULL DEFAULT 0 CHECK (favourite IN (0, 1)),
  removed_at    TEXT,
  UNIQUE (drawing_id, slot)
) STRICT;
CREATE INDEX images_by_time ON images (created_at);
CREATE INDEX images_by_media ON images (media_id);
CREATE INDEX images_by_thumb ON images (thumb_id);
CREATE TABLE peaks (
  media_id      TEXT PRIMARY KEY REFERENCES media (id) ON DELETE CASCADE,
  data          BLOB NOT NULL,
  seconds       REAL NOT NULL
) STRICT;
CREATE TRIGGER messages_took_pictures AFTER INSERT ON messages WHEN new.attachments <> '[]' BEGIN
  UPDATE media SET drafted = 0 WHERE drafted = 1 AND id IN (SELECT value ->> '$.mediaId' FROM json_each(new.attachments));
END;
CREATE INDEX messages_by_cost ON messages (created_at, request_row, conversation_id, cost, usage) WHERE request_row IS NOT NULL;
CREATE TABLE alerts (
  id            TEXT PRIMARY KEY,
  at            TEXT NOT NULL,
  watch         TEXT NOT NULL,
  period        TEXT,
  mark          TEXT NOT NULL,
  level         INTEGER NOT NULL CHECK (level > 0),
  facts         TEXT NOT NULL,
  ends_at       TEXT,
  ended_at      TEXT,
  dismissed_at  TEXT
) STRICT;
CREATE UNIQUE INDEX alerts_that_hold ON alerts (watch) WHERE ended_at IS NULL;
CREATE INDEX alerts_by_watch ON alerts (watch, period);
CREATE INDEX alerts_by_time ON alerts (at);
CREATE UNIQUE INDEX profiles_one_sandbox ON profiles (kind) WHERE kind = 'sandbox';
CREATE TABLE "model_lists" (
  profile   TEXT PRIMARY KEY,
  base_url  TEXT NOT NULL,
  models    TEXT NOT NULL,
  as_of     TEXT NOT NULL
) STRICT;
CREATE TABLE waiting (
  id              TEXT PRIMARY KEY,
  created_at      TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('waiting', 'held', 'failed')),
  connection_id   TEXT NOT NULL,
  connection_name TEXT NOT NULL,
  base_url        TEXT NOT NULL,
  problem         TEXT,
  wish            TEXT NOT NULL
) STRICT;
CREATE TABLE model_notes (
  profile     TEXT NOT NULL,
  base_url    TEXT NOT NULL,
  model       TEXT NOT NULL,
  favourite   INTEGER NOT NULL DEFAULT 0,
  replied_at  TEXT,
  images      TEXT CHECK (images IN ('works', 'refused')),
  tools       TEXT CHECK (tools IN ('works', 'refused')), context_set INTEGER CHECK (context_set > 0), context_learned INTEGER CHECK (context_learned > 0),
  PRIMARY KEY (profile, base_url, model)
) STRICT, WITHOUT ROWID;
CREATE TABLE voice_samples (
  service TEXT NOT NULL,
  voice TEXT NOT NULL,
  text TEXT NOT NULL,
  media_id TEXT NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  PRIMARY KEY (service, voice, text)
) STRICT, WITHOUT ROWID;
CREATE INDEX voice_samples_by_media ON voice_samples (media_id);
CREATE TABLE documents (
  media_id    TEXT PRIMARY KEY REFERENCES media (id) ON DELETE CASCADE,
  kind        TEXT NOT NULL,
  mime        TEXT NOT NULL,
  unit        TEXT NOT NULL CHECK (unit IN ('page', 'slide', 'sheet', 'chapter', 'text')),
  parts       INTEGER NOT NULL,
  tokens      INTEGER NOT NULL,
  notes       TEXT NOT NULL,
  converted   INTEGER NOT NULL DEFAULT 0 CHECK (converted IN (0, 1))
) STRICT;
CREATE TABLE document_parts (
  media_id    TEXT NOT NULL REFERENCES documents (media_id) ON DELETE CASCADE,
  part        INTEGER NOT NULL,
  label       TEXT NOT NULL,
  tokens      INTEGER NOT NULL,
  text        TEXT NOT NULL,
  PRIMARY KEY (media_id, part)
) STRICT;
CREATE INDEX messages_with_documents ON messages (seq) WHERE documents <> '[]';
CREATE TRIGGER messages_took_documents AFTER INSERT ON messages WHEN new.documents <> '[]' BEGIN
  UPDATE media SET drafted = 0 WHERE drafted = 1 AND id IN (SELECT value ->> '$.mediaId' FROM json_each(new.documents));
END;
CREATE TABLE sync_marks (
  what    TEXT NOT NULL CHECK (what IN ('conversation', 'message', 'folder', 'prompt', 'preset')),
  item    TEXT NOT NULL,
  field   TEXT NOT NULL,
  at      INTEGER NOT NULL,
  value   TEXT,
  parent  TEXT,
  PRIMARY KEY (what, item, field)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_marks_by_parent ON sync_marks (parent) WHERE parent IS NOT NULL;
CREATE INDEX conversations_by_part ON conversations (part_of) WHERE part_of IS NOT NULL;
CREATE TABLE sync_state (
  key    TEXT PRIMARY KEY,
  value  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE sync_merging (one INTEGER PRIMARY KEY CHECK (one = 1)) STRICT;
CREATE TRIGGER sync_conversation_title AFTER UPDATE OF title, named ON conversations
  WHEN (new.title IS NOT old.title OR new.named IS NOT old.named) AND new.part_of IS NULL AND NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('conversation', new.id, 'title', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), NULL, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;
END;
CREATE TRIGGER sync_conversation_model AFTER UPDATE OF model ON conversations
  WHEN (new.model IS NOT old.model) AND new.part_of IS NULL AND NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('conversation', new.id, 'model', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), NULL, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;
END;
CREATE TRIGGER sync_conversation_setup AFTER UPDATE OF setup ON conversations
  WHEN (new.setup IS NOT old.setup) AND new.part_of IS NULL AND NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('conversation', new.id, 'setup', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), NULL, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;
END;
CREATE TRIGGER sync_conversation_pinned AFTER UPDATE OF pinned ON conversations
  WHEN (new.pinned IS NOT old.pinned) AND new.part_of IS NULL AND NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('conversation', new.id, 'pinned', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), NULL, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;
END;
CREATE TRIGGER sync_conversation_archived AFTER UPDATE OF archived_at ON conversations
  WHEN (new.archived_at IS NOT old.archived_at) AND new.part_of IS NULL AND NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('conversation', new.id, 'archived', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), NULL, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;
END;
CREATE TRIGGER sync_conversation_folder AFTER UPDATE OF folder_id ON conversations
  WHEN (new.folder_id IS NOT old.folder_id) AND new.part_of IS NULL AND NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('conversation', new.id, 'folder', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), new.folder_id, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;
END;
CREATE TRIGGER sync_conversation_leaf AFTER UPDATE OF leaf_id ON conversations
  WHEN (new.leaf_id IS NOT old.leaf_id) AND new.part_of IS NULL AND NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('conversation', new.id, 'leaf', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), new.leaf_id, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;
END;
CREATE TRIGGER sync_conversation_removed AFTER UPDATE OF removed_at ON conversations
  WHEN (new.removed_at IS NOT old.removed_at) AND new.part_of IS NULL AND NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('conversation', new.id, 'removed', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), CAST(round(unixepoch(new.updated_at, 'subsec') * 1000) AS INTEGER) + 1), CASE WHEN new.removed_at IS NULL THEN NULL ELSE '1' END, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;
END;
CREATE TRIGGER sync_conversation_gone AFTER DELETE ON conversations BEGIN
  DELETE FROM sync_marks WHERE what = 'conversation' AND item = old.id AND field NOT IN ('removed', 'expired');
  DELETE FROM sync_marks WHERE parent = old.id;
END;
CREATE TRIGGER sync_conversation_expired AFTER INSERT ON erasures
  WHEN new.what = 'conversation' AND EXISTS (SELECT 1 FROM conversations WHERE id = new.item AND removed_at IS NULL) BEGIN
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('conversation', new.item, 'expired', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), NULL, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;
END;
CREATE TRIGGER sync_message_place AFTER UPDATE OF conversation_id ON messages
  WHEN new.conversation_id IS NOT old.conversation_id AND NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('message', new.id, 'deleted', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), CASE WHEN (SELECT part_of FROM conversations WHERE id = old.conversation_id) IS NULL THEN '1' END, CASE WHEN (SELECT part_of FROM conversations WHERE id = old.conversation_id) IS NULL THEN old.conversation_id ELSE new.conversation_id END)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;
END;
CREATE TRIGGER sync_folder_changed AFTER UPDATE ON folders WHEN NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('folder', new.id, 'deleted', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), NULL, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent; END;
CREATE TRIGGER sync_folder_deleted AFTER DELETE ON folders WHEN NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('folder', old.id, 'deleted', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), '1', NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent; END;
CREATE TRIGGER sync_folder_added AFTER INSERT ON folders
  WHEN NOT EXISTS (SELECT 1 FROM sync_merging) AND EXISTS (SELECT 1 FROM sync_marks WHERE what = 'folder' AND item = new.id AND field = 'deleted') BEGIN
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('folder', new.id, 'deleted', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), NULL, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;
END;
CREATE TRIGGER sync_prompt_changed AFTER UPDATE ON prompts WHEN NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('prompt', new.id, 'deleted', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), NULL, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent; END;
CREATE TRIGGER sync_prompt_deleted AFTER DELETE ON prompts WHEN NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('prompt', old.id, 'deleted', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), '1', NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent; END;
CREATE TRIGGER sync_prompt_added AFTER INSERT ON prompts
  WHEN NOT EXISTS (SELECT 1 FROM sync_merging) AND EXISTS (SELECT 1 FROM sync_marks WHERE what = 'prompt' AND item = new.id AND field = 'deleted') BEGIN
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('prompt', new.id, 'deleted', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), NULL, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;
END;
CREATE TRIGGER sync_preset_changed AFTER UPDATE ON presets WHEN NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('preset', new.id, 'deleted', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), NULL, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent; END;
CREATE TRIGGER sync_preset_deleted AFTER DELETE ON presets WHEN NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('preset', old.id, 'deleted', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), '1', NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent; END;
CREATE TRIGGER sync_preset_added AFTER INSERT ON presets
  WHEN NOT EXISTS (SELECT 1 FROM sync_merging) AND EXISTS (SELECT 1 FROM sync_marks WHERE what = 'preset' AND item = new.id AND field = 'deleted') BEGIN
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('preset', new.id, 'deleted', max(CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), 0), NULL, NULL)
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;
END;
CREATE TABLE folder_files (
  folder_id  TEXT NOT NULL REFERENCES folders (id) ON DELETE CASCADE,
  media_id   TEXT NOT NULL REFERENCES documents (media_id) ON DELETE CASCADE,
  name       TEXT NOT NULL,
  added_at   TEXT NOT NULL,
  PRIMARY KEY (folder_id, media_id)
) STRICT;
CREATE INDEX folder_files_by_media ON folder_files (media_id);
CREATE TRIGGER folder_files_took AFTER INSERT ON folder_files BEGIN
  UPDATE media SET drafted = 0 WHERE drafted = 1 AND id = new.media_id;
END;
CREATE TABLE passages (
  id          INTEGER PRIMARY KEY,
  media_id    TEXT NOT NULL,
  part        INTEGER NOT NULL,
  start       INTEGER NOT NULL,
  text        TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX passages_by_place ON passages (media_id, part, start);
CREATE TABLE passage_files (
  media_id    TEXT PRIMARY KEY,
  next_part   INTEGER NOT NULL,
  next_start  INTEGER NOT NULL,
  is_done     INTEGER NOT NULL CHECK (is_done IN (0, 1))
) STRICT;
CREATE TABLE passage_index (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  has_deleted  INTEGER NOT NULL CHECK (has_deleted IN (0, 1))
) STRICT;
CREATE VIRTUAL TABLE search_text_passages USING fts5 (
  body, content = '', contentless_delete = 1, detail = 'full', tokenize = 'ascii'
);
CREATE VIRTUAL TABLE search_text_words USING fts5vocab (search_text_passages, row);
CREATE TRIGGER passages_gone AFTER DELETE ON passages BEGIN
  DELETE FROM search_text_passages WHERE rowid = old.id;
END;
CREATE TRIGGER sync_file_added AFTER INSERT ON folder_files
  WHEN NOT EXISTS (SELECT 1 FROM sync_merging) AND EXISTS (SELECT 1 FROM sync_marks AS s JOIN media AS m ON s.field = 'file ' || m.sha256
    WHERE s.what = 'folder' AND s.item = new.folder_id AND m.id = new.media_id) BEGIN 
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    SELECT 'folder', new.folder_id, 'file ' || m.sha256, CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), NULL, NULL
      FROM media AS m WHERE m.id = new.media_id
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value;
END;
CREATE TRIGGER sync_file_renamed AFTER UPDATE OF name ON folder_files
  WHEN new.name IS NOT old.name AND NOT EXISTS (SELECT 1 FROM sync_merging) BEGIN 
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    SELECT 'folder', new.folder_id, 'file ' || m.sha256, CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), NULL, NULL
      FROM media AS m WHERE m.id = new.media_id
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value;
END;
CREATE TRIGGER sync_file_removed AFTER DELETE ON folder_files
  WHEN NOT EXISTS (SELECT 1 FROM sync_merging) AND EXISTS (SELECT 1 FROM folders WHERE id = old.folder_id) BEGIN 
  INSERT INTO sync_marks (what, item, field, at, value, parent)
    SELECT 'folder', old.folder_id, 'file ' || m.sha256, CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER), '1', NULL
      FROM media AS m WHERE m.id = old.media_id
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value;
END;
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
INSERT INTO search_text (search_text, rank) VALUES ('automerge', 0);
INSERT INTO search_text (search_text, rank) VALUES ('crisismerge', 1000);
INSERT INTO search_text (search_text, rank) VALUES ('usermerge', 8);
INSERT INTO search_text_passages (search_text_passages, rank) VALUES ('automerge', 0);
INSERT INTO search_text_passages (search_text_passages, rank) VALUES ('crisismerge', 1000);
INSERT INTO search_text_passages (search_text_passages, rank) VALUES ('usermerge', 8);
`,
}
