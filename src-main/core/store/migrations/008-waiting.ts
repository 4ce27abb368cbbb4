/**
 * The outbox: requests that are sent when the service is reachable again, in the order of rowid. A row is deleted in the transaction that
 * starts its work, so that no request is sent twice or lost. A request is sent only to its `connection_id` and `base_url`. `wish` (the
 * parameters of the request) and `problem` are JSON.
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
