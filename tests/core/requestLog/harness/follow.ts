// The command line's reader in its own process: follows the log and prints each row. node follow.ts FOLDER
import { openRequestLogReader } from '../../../../src-main/core/requestLog/reader.ts'

const reader = openRequestLogReader(process.argv[2] ?? '')
const { signal } = new AbortController()
console.log('ready')
for await (const { id, state, who } of reader.follow({}, { signal, after: 0, everyMs: 20 })) {
  console.log(JSON.stringify({ id, state, who }))
}
