/**
 * What is sent when the service is back. In the order of rowid. A row goes in the transaction in which what it asks for begins, so that nothing
 * is sent twice and nothing is lost. `connection_id` and `base_url`: it is sent there alone. `wish` and `problem` are JSON.
 */
export const sql = `
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
`
