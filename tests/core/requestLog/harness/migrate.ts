// A process that is killed while it brings an old log to this version: node migrate.ts FOLDER
import { writeSync } from 'node:fs'
import { openRequestLogTables } from '../../../../src-main/core/store/requestLog/open.ts'

writeSync(1, 'ready\n')
openRequestLogTables(process.argv[2] ?? '').close()
// Whoever started it ends it.
setInterval(() => undefined, 1000)
