// `npm run schema`: writes the schema that new databases are created from. Run it after adding a migration. A test compares both.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { databases } from '../../src-main/core/data/databases.ts'
import { root } from './ready.mjs'
import { snapshotText } from './schemaText.ts'

for (const { name, kind } of databases) {
  const file = join('src-main', 'core', 'store', 'migrations', 'snapshots', `${name}.json`)
  writeFileSync(join(root, file), snapshotText(kind.migrations))
  console.log(file)
}
