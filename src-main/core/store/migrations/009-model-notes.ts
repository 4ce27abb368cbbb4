/**
 * Notes about each model of a connection: a person's marks, and abilities that replies and refusals showed. The service's model list does
 * not describe abilities, and nothing is guessed: null means that no reply has shown the ability yet.
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
