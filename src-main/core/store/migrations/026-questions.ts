/**
 * `at_budget`: whether requests over a budget are refused, or a person is asked. `ask_new_model`, `ask_above`: what else a person is asked
 * about. `busy_requests`, `busy_spend`: when a notice says that the app is busy, within an hour. It is on for programs that are connected.
 *
 * `app_questions` are the questions of the last weeks. `asking`: the requests that waited, as JSON. `seen`: the number of the last request that
 * the answer is about. An answer that allows more than these requests is looked up here until its day or month is over.
 */
export const sql = `
ALTER TABLE tool_keys ADD COLUMN at_budget TEXT NOT NULL DEFAULT 'refuse' CHECK (at_budget IN ('refuse', 'ask'));
ALTER TABLE tool_keys ADD COLUMN ask_new_model INTEGER NOT NULL DEFAULT 0 CHECK (ask_new_model IN (0, 1));
ALTER TABLE tool_keys ADD COLUMN ask_above TEXT;
ALTER TABLE tool_keys ADD COLUMN busy_requests INTEGER;
ALTER TABLE tool_keys ADD COLUMN busy_spend TEXT;
UPDATE tool_keys SET busy_requests = 300 WHERE id IN (SELECT app_id FROM connected_programs);

CREATE TABLE app_questions (
  id           TEXT PRIMARY KEY,
  app_id       TEXT NOT NULL,
  asked_at     TEXT NOT NULL,
  ends_at      TEXT NOT NULL,
  spent_today  TEXT NOT NULL,
  asking       TEXT NOT NULL,
  answer       TEXT CHECK (answer IN ('once', 'more', 'tomorrow', 'refuse', 'none')),
  amount       TEXT,
  seen         INTEGER,
  answered_at  TEXT
) STRICT;
CREATE INDEX app_questions_by_app ON app_questions (app_id, answered_at);
`
