import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig, mergeConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))
const all = globSync('tests/**/*.test.{ts,tsx}', { cwd: root })
/** What a test file says of itself in a comment `// @word why` of its own line, before its first import. */
const says = (file: string, word: string): boolean =>
  new RegExp(`^// @${word}\\b`, 'm').test(readFileSync(join(root, file), 'utf8').split(/^import /m)[0] ?? '')

/**
 * `// @long`: files that `npm test` leaves to `npm run test:long`. What they show is shown in `npm test` by others, in less time.
 */
export const long = all.filter((file) => says(file, 'long'))
/**
 * `// @isolated`: files that have a process of their own, because they kill, measure memory or moments, or change what belongs to the process.
 * All others share processes, which read the same sources once.
 */
const isolated = all.filter((file) => says(file, 'isolated') && !long.includes(file))
const hosts = 'tests/hosts/**'

// Each file is a process, and many start processes of their own: what Node has read once need not be compiled by each.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compiled')
// The processes of the tests inherit it, and those that they start.
process.env.SEED ??= String(Math.floor(Math.random() * 2 ** 31))

/** What all tests have in common. */
export const base = defineConfig({
  root,
  test: {
    setupFiles: ['tests/helpers/setup.ts'],
    // Real sockets, real SQLite and real processes on two cores: generous against a busy machine, never a way to time something.
    testTimeout: process.env.STUDIO_TESTS === 'long' ? 600_000 : 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    // One more try only in CI, where nobody watches. A person's run shows every failure.
    retry: process.env.CI ? 1 : 0,
    pool: 'forks',
    // Most tests wait for sockets, processes and clocks: four at once take two thirds of the time of two, on two cores.
    maxWorkers: 4,
  },
})

export default mergeConfig(base, {
  test: {
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'hosts',
          include: [`${hosts}/*.test.ts`],
          exclude: [...configDefaults.exclude, ...long],
          globalSetup: ['tests/helpers/built.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: isolated, exclude: [...configDefaults.exclude, hosts] },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: all,
          exclude: [...configDefaults.exclude, ...long, ...isolated, hosts],
        },
      },
    ],
  },
})
