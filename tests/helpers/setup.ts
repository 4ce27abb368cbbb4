import { relative } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach } from 'vitest'
import { removeTemporaryFolders } from './folders.ts'
import { seed } from './random.ts'

// Runs before each test file. Random tests use the seed of this run, and a failed test prints the command that replays it.

// A property that a busy machine slows down ends after half of the time of a test, with the cases it has tried by then, instead of failing.
// At least one case must pass.
const interruptAfterTimeLimit = process.env.STUDIO_TESTS === 'long' ? 300_000 : 30_000

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed, interruptAfterTimeLimit })

afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return
  const file = relative(process.cwd(), task.file.filepath)
  console.error(`The random values of this run again: SEED=${seed} npm run -s unit -- ${file}`)
})

// After the hooks of the test file, which close what is in the folders.
afterAll(removeTemporaryFolders)
