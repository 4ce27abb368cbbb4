/**
 * Number of tries of a random test: `short` in `npm test`, `long` in `npm run test:long`, which runs before each release. For kills at
 * random moments, property tests with thousands of cases and other tests that need many tries to be sure.
 */
export const tries = (short: number, long: number): number => (process.env.STUDIO_TESTS === 'long' ? long : short)
