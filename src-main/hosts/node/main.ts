import { run } from './program.ts'
import { realParts } from './realDependencies.ts'

// Entry of the command line with the real core.
process.exitCode = await run(process.argv.slice(2), realParts)
