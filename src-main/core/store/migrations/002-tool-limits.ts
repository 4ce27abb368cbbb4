/**
 * Limits and settings of an app. Budgets are exact decimals in SC as text. `models` and `endpoints` are JSON lists. Null means no limit.
 * Existing apps get no limits, and colours in rotation by the order in which they were created.
 */
export const sql = `
ALTER TABLE tool_keys ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue';
ALTER TABLE tool_keys ADD COLUMN expires_at TEXT;
ALTER TABLE tool_keys ADD COLUMN paused_at TEXT;
ALTER TABLE tool_keys ADD COLUMN models TEXT;
ALTER TABLE tool_keys ADD COLUMN endpoints TEXT;
ALTER TABLE tool_keys ADD COLUMN requests_per_minute INTEGER CHECK (requests_per_minute > 0);
ALTER TABLE tool_keys ADD COLUMN tokens_per_minute INTEGER CHECK (tokens_per_minute > 0);
ALTER TABLE tool_keys ADD COLUMN concurrent INTEGER CHECK (concurrent > 0);
ALTER TABLE tool_keys ADD COLUMN budget_day TEXT;
ALTER TABLE tool_keys ADD COLUMN budget_month TEXT;
ALTER TABLE tool_keys ADD COLUMN budget_total TEXT;
ALTER TABLE tool_keys ADD COLUMN log_bodies INTEGER NOT NULL DEFAULT 0 CHECK (log_bodies IN (0, 1));
ALTER TABLE tool_keys ADD COLUMN retries INTEGER NOT NULL DEFAULT 1 CHECK (retries IN (0, 1));
ALTER TABLE tool_keys ADD COLUMN fail_fast INTEGER NOT NULL DEFAULT 0 CHECK (fail_fast IN (0, 1));

UPDATE tool_keys SET colour = CASE turns.turn % 8
    WHEN 0 THEN 'blue' WHEN 1 THEN 'teal' WHEN 2 THEN 'violet' WHEN 3 THEN 'amber'
    WHEN 4 THEN 'rose' WHEN 5 THEN 'green' WHEN 6 THEN 'slate' ELSE 'orange' END
  FROM (SELECT id AS made, row_number() OVER (ORDER BY created_at, rowid) - 1 AS turn FROM tool_keys) AS turns
  WHERE id = turns.made;
`
