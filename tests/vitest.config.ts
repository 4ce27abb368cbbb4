import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig, mergeConfig } from 'vitest/config'
import { pathForTests } from './helpers/npmPrograms.mjs'
import { programs } from './helpers/programs.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const all = globSync('tests/**/*.test.{ts,tsx}', { cwd: root })
/** Whether a test file has the comment line `// @word why` before its first import. */
const isTagged = (file: string, word: string): boolean =>
  new RegExp(`^// @${word}\\b`, 'm').test(readFileSync(join(root, file), 'utf8').split(/^import /m)[0] ?? '')

/**
 * `// @long`: files that run in `npm run test:long` only. `npm test` covers the same behaviour with faster tests.
 */
export const long = all.filter((file) => isTagged(file, 'long'))
/**
 * `// @isolated`: files that run in their own process, because they kill processes, measure memory or time, or change global state.
 * All other files share processes, which load the sources once.
 */
const isolated = all.filter((file) => isTagged(file, 'isolated') && !long.includes(file))
const hosts = 'tests/hosts/**'
/** Tests of the packages that people install: `npm run package:check`. */
const packages = 'tests/package/**'

// Many processes load the same sources: they share one compile cache.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compiled')
// Inherited by the test processes and their children. CI uses one seed, so that a change fails there only for its own reasons. New random values
// are tried by every local run and by `npm run test:long`.
process.env.SEED ??= String(process.env.CI ? 1_286_536_424 : Math.floor(Math.random() * 2 ** 31))

// Commands speak the language of the terminal.
process.env.LC_ALL = 'C.UTF-8'

// Programs that were downloaded from npm.
process.env.PATH = pathForTests()
/** What `npm test` could not get. A run of single tests tries what they ask for. */
const lacking: Record<string, string | null> = JSON.parse(process.env.STUDIO_LACKS ?? '{}')

/** Generous, for real sockets, SQLite and processes on a busy machine. No test measures time with it. */
const testTimeout = process.env.STUDIO_TESTS === 'long' ? 600_000 : 60_000

/** Settings of all test projects. */
export const base = defineConfig({
  root,
  test: {
    tags: [
      {
        name: 'long',
        description: 'Takes long, and runs in `npm run test:long` only.',
        // It ends a test that hangs. No test measures time with it, so a busy machine may take its time.
        timeout: 600_000,
      },
      ...Object.entries(programs).map(([name, { what }]) => ({
        name,
        description: `Needs ${what}.`,
        skip: typeof lacking[name] === 'string',
      })),
    ],
    setupFiles: ['tests/helpers/setup.ts'],
    globalSetup: ['tests/helpers/runFolder.ts'],
    testTimeout,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // On two cores. The third runs while others wait for sockets, processes and timers; a fourth makes nothing faster.
    maxWorkers: 3,
    // New objects are collected sooner, in memory that is in use already: a tenth less processor time.
    execArgv: ['--max-semi-space-size=4'],
  },
})

export default mergeConfig(base, {
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'hosts',
          // These tests start programs of their own, so they can share a process.
          isolate: false,
          // Whole programs with browsers and keychains: on a busy machine, a test of a second takes more than a minute.
          testTimeout: Math.max(testTimeout, 180_000),
          include: [`${hosts}/*.test.ts`],
          exclude: [...configDefaults.exclude, ...long],
          globalSetup: ['tests/helpers/built.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'package',
          include: [`${packages}/*.test.ts`],
          exclude: [...configDefaults.exclude, ...long],
          globalSetup: ['tests/helpers/built.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: isolated, exclude: [...configDefaults.exclude, hosts, packages] },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: all,
          exclude: [...configDefaults.exclude, ...long, ...isolated, hosts, packages],
        },
      },
    ],
  },
})
