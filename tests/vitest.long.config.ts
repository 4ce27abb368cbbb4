import { mergeConfig } from 'vitest/config'
import { base, long } from './vitest.config.ts'

/** The tests that `npm test` leaves to `npm run unit:long` and `npm run test:long`. */
export default mergeConfig(base, { test: { include: long } })
