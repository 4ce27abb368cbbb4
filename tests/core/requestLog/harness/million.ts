import { DatabaseSync } from 'node:sqlite'
import { SqliteRequestLog } from '../../../../src-main/core/requestLog/requestLog.ts'
import { requestLogFile } from '../../../../src-main/core/store/requestLog/open.ts'
import { rightClock } from '../../helpers/deadlines.ts'

/** Fills a folder's log with this many rows of many kinds in one statement: the newest today, one every two seconds. */
export async function fill(dataDir: string, rows: number): Promise<void> {
  await new SqliteRequestLog({
    dataDir,
    apps: () => [],
    bodyDays: () => 7,
    deadlines: rightClock(),
    log: () => undefined,
  }).close()
  const database = new DatabaseSync(requestLogFile(dataDir))
  database.exec('BEGIN')
  const caller = database.prepare('INSERT INTO callers (id, who, model) VALUES (?, ?, ?)')
  // 20 apps with 5 models each, the last one rare; the studio; requests without a valid key.
  for (let app = 0; app < 20; app += 1) {
    for (let model = 0; model < 5; model += 1) caller.run(app * 5 + model + 1, `tool:t${app}`, `model-${model}`)
  }
  caller.run(101, 'studio:chat', 'model-0')
  caller.run(102, 'stranger', null)
  caller.run(103, 'tool:rare', 'model-rare')
  database
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows)
      INSERT INTO requests (id, at, caller, endpoint, stream, outcome, state, status, attempts, connect_us, first_byte_us,
        duration_us, bytes_up, bytes_down, tokens_in, tokens_out, tokens_cached, tokens_are, cost, cost_is, request_id,
        problem_kind, problem_message)
      SELECT i, :now - (:rows - i) * 2000,
        CASE WHEN i % 200000 = 5 THEN 103 WHEN i % 50 = 7 THEN 101 WHEN i % 1000 = 13 THEN 102 ELSE 1 + (i * 7919 % 100) END,
        0, 1, CASE WHEN i % 40 = 3 THEN 1 WHEN i % 90 = 4 THEN 3 WHEN i % 1000 = 13 THEN 2 ELSE 0 END,
        0, CASE WHEN i % 40 = 3 THEN 503 ELSE 200 END, 1, 1200, 45000, 900000 + i % 1000, 1200, 5400, 800 + i % 500,
        240 + i % 100, 0, 0, 100000 + i % 1000, 1, 'req_' || hex(i * 2654435761), 
        CASE WHEN i % 40 = 3 THEN 'unavailable' END, CASE WHEN i % 40 = 3 THEN 'The service is not available.' END
      FROM n`,
    )
    .run({ rows, now: Date.now() })
  database.prepare("INSERT OR REPLACE INTO facts (name, value) VALUES ('floor', ?)").run(rows + 1)
  database.exec('COMMIT')
  database.close()
}
