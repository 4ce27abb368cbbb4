/**
 * Alerts that were raised, one row for each crossing of a threshold. At most one row of a watch has not ended. `period`: the day or month
 * in which the alert is raised once. `mark`: the threshold that was crossed. `ends_at`: when the alert ends by itself. `facts` is JSON.
 */
export const sql = `
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
`
