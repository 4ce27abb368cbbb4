/**
 * What a person marked, and what replies and refusals showed, about each model of a connection. The service's list of models says nothing
 * of their abilities, so nothing here is guessed: null means that no reply has shown it yet.
 */
export const sql = `
CREATE TABLE model_notes (
  profile     TEXT NOT NULL,
  base_url    TEXT NOT NULL,
  model       TEXT NOT NULL,
  favourite   INTEGER NOT NULL DEFAULT 0,
  replied_at  TEXT,
  images      TEXT CHECK (images IN ('works', 'refused')),
  tools       TEXT CHECK (tools IN ('works', 'refused')),
  PRIMARY KEY (profile, base_url, model)
) STRICT, WITHOUT ROWID;
`
