/**
 * Documents of messages. The original is a row of `media` of the kind `document`, whose check is renewed by a new column, because SQLite
 * cannot change a check. `documents` has the facts of the conversion and `document_parts` its text, by page, slide, sheet or chapter. A
 * message lists its documents and chosen parts as JSON, so that branches and copies share one text.
 */
export const sql = `
ALTER TABLE media ADD COLUMN kind_now TEXT NOT NULL DEFAULT 'image' CHECK (kind_now IN ('image', 'audio', 'document'));
UPDATE media SET kind_now = kind;
ALTER TABLE media DROP COLUMN kind;
ALTER TABLE media RENAME COLUMN kind_now TO kind;

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

ALTER TABLE messages ADD COLUMN documents TEXT NOT NULL DEFAULT '[]';
CREATE INDEX messages_with_documents ON messages (seq) WHERE documents <> '[]';
CREATE TRIGGER messages_took_documents AFTER INSERT ON messages WHEN new.documents <> '[]' BEGIN
  UPDATE media SET drafted = 0 WHERE drafted = 1 AND id IN (SELECT value ->> '$.mediaId' FROM json_each(new.documents));
END;
`
