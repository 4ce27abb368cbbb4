/**
 * Projects: parameters and pinned files of folders, and the passages of these files.
 *
 * `passages` covers the text of a pinned file without gaps or overlap. `search_text_passages` contains its folded words, like
 * `search_text`, and has the same row ids. Rows of files that are no longer pinned are deleted in small steps, so `passages` has no foreign
 * key. `passage_files` is the progress of a file. `passage_index` has one row; `has_deleted` is 1 while the index has words of deleted
 * passages.
 *
 * The names of the index begin with `search_text_`, so that recovery leaves the index out, which is written again.
 */
export const sql = `
ALTER TABLE folders ADD COLUMN params TEXT;
ALTER TABLE folders ADD COLUMN whole_tokens INTEGER NOT NULL DEFAULT 8000;

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
INSERT INTO search_text_passages (search_text_passages, rank) VALUES ('automerge', 0), ('crisismerge', 1000), ('usermerge', 8);
CREATE VIRTUAL TABLE search_text_words USING fts5vocab (search_text_passages, row);
CREATE TRIGGER passages_gone AFTER DELETE ON passages BEGIN
  DELETE FROM search_text_passages WHERE rowid = old.id;
END;

ALTER TABLE messages ADD COLUMN passages TEXT NOT NULL DEFAULT '[]';
`
