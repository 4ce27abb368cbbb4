// `npm run test:clients`: coding agents from npm, each set up with exactly the texts of the Local API page, each through one streamed turn with a tool
// call against the built studio. See README.md beside this folder. Nothing of it is part of `npm test`.
import { buildIfNeeded, installIfNeeded } from '../../../resources/scripts/ready.mjs'

installIfNeeded()
buildIfNeeded()
const { main } = await import('./main.ts')
process.exitCode = await main(process.argv.slice(2))
