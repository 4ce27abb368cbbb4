/**
 * How often a test tries something: `short` in `npm test`, `long` in `npm run test:long`, which runs before each release. For kills at random
 * moments, properties of thousands of cases and whatever else is only sure after many tries.
 */
export const tries = (short: number, long: number): number => (process.env.STUDIO_TESTS === 'long' ? long : short)
