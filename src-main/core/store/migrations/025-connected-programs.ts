/**
 * `connected_programs` are files of other programs that have entries of this one. `part`: 0, or 1 for a second file of the same program.
 * `entries`: their places, hashes and what was created
 * around them, as JSON. `written_hash`: SHA-256 of the whole file after it was written. Replaced values may be secrets of the person, so
 * they are in a private file of the data folder, never here.
 */
export const sql = `
CREATE TABLE connected_programs (
  id            TEXT PRIMARY KEY,
  program       TEXT NOT NULL,
  file          TEXT NOT NULL UNIQUE,
  part          INTEGER NOT NULL,
  app_id        TEXT NOT NULL,
  model         TEXT NOT NULL,
  base_url      TEXT NOT NULL,
  entries       TEXT NOT NULL,
  written_hash  TEXT NOT NULL,
  connected_at  TEXT NOT NULL
) STRICT;
`
