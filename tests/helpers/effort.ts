// `npm test` takes minutes and runs for every change. `npm run test:long` runs each night and before each release: also the tests with the
// tag "long", and more cases of the others.

const isLong = process.env.STUDIO_TESTS === 'long'

/** A random test that a busy machine slows down ends after this time with the cases that it has tried by then, ms. */
export const propertyMs = isLong ? 300_000 : 30_000

/** How long a page may take to do what a test waits for, ms. No test measures time with it. */
export const pageTimeout = isLong ? 120_000 : 30_000

/** How long a test of a whole page may take before it counts as hung, ms. */
export const wholePage = isLong ? 600_000 : 120_000

/**
 * Number of tries of a random test: `short` in `npm test`, `long` in `npm run test:long`. For kills at random moments, property tests with
 * thousands of cases and other tests that need many tries to be sure.
 */
export const tries = (short: number, long: number): number => (isLong ? long : short)

/** Cases of a table that `npm test` leaves out, because those beside them show the same behaviour. */
export const onlyLong = <Case extends string | number | [unknown, ...unknown[]]>(...cases: Case[]): Case[] =>
  isLong ? cases : []

/** The first `count` cases of a table in `npm test`, all of them in `npm run test:long`. */
export const firstCases = <Case>(count: number, cases: readonly Case[]): readonly Case[] =>
  isLong ? cases : cases.slice(0, count)
