import { mergeConfig } from 'vitest/config'
import { base, rooms } from './vitest.config.ts'

/** The tests that `npm test` leaves to `npm run rooms`. */
export default mergeConfig(base, { test: { include: rooms } })
