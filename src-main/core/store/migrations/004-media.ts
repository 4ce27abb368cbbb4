/**
 * Speech, recordings, transcripts and images. Bytes are in files: complete files in `media/`, with a row in `media`; growing files in
 * `making/`, named by the id of the item that they belong to. `wish` (the parameters of the request) and `problem` are JSON.
 *
 * `search` is the folded text that searches read. It precedes long columns, which SQLite would otherwise have to read first. Removed items
 * stay until they are deleted permanently.
 *
 * Several items may refer to one media file, which is deleted when no item refers to it. Foreign keys to `media` have indexes, because
 * deleting a row would otherwise scan whole tables. `drafted`: a page has the file in a draft, and until a message has it, no other row
 * refers to it.
 */
export const sql = `
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

ALTER TABLE media ADD COLUMN drafted INTEGER NOT NULL DEFAULT 0 CHECK (drafted IN (0, 1));
UPDATE media SET drafted = 1
  WHERE id NOT IN (SELECT item FROM erasures WHERE what = 'media') AND id NOT IN (
    SELECT ifnull(a.value ->> '$.mediaId', '') FROM messages AS m, json_each(m.attachments) AS a WHERE m.attachments <> '[]');
CREATE TRIGGER messages_took_pictures AFTER INSERT ON messages WHEN new.attachments <> '[]' BEGIN
  UPDATE media SET drafted = 0 WHERE drafted = 1 AND id IN (SELECT value ->> '$.mediaId' FROM json_each(new.attachments));
END;
`
