// A process that is killed while it migrates an old log: node migrate.ts FOLDER
import { writeSync } from 'node:fs'
import { openRequestLogTables } from '../../../../src-main/core/store/requestLog/open.ts'

writeSync(1, 'ready\n')
openRequestLogTables(process.argv[2] ?? '').close()
// The parent process ends it.
setInterval(() => undefined, 1000)
