import { relative } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach } from 'vitest'
import { propertyMs } from './effort.ts'
import { removeTemporaryFolders } from './folders.ts'
import { seed } from './random.ts'

// Runs before each test file. Random tests use the seed of this run, and a failed test prints the command that replays it.

// At least one case of a property must pass before its time is over.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed, interruptAfterTimeLimit: propertyMs })

afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return
  const file = relative(process.cwd(), task.file.filepath)
  console.error(`The random values of this run again: SEED=${seed} npm run -s unit -- ${file}`)
})

// After the hooks of the test file, which close what is in the folders.
afterAll(removeTemporaryFolders)
