import { configDefaults, mergeConfig } from 'vitest/config'
import base, { rooms } from './vitest.config.ts'

/** The tests that `npm test` leaves to `npm run rooms`. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [], reporters: ['default'] } },
  { test: { include: rooms, exclude: configDefaults.exclude } },
)
