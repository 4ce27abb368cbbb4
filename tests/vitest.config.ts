import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig, mergeConfig } from 'vitest/config'

/**
 * Rooms in a real browser, state by state, over a core of the harness: three minutes on two cores, which `npm test` does not have. `npm run rooms`
 * runs them; tests/e2e shows the same rooms over the real core.
 */
export const rooms = ['chat/room', 'commands/palette', 'library/list', 'i18n/rooms', 'usage/room'].map(
  (name) => `tests/renderer/${name}.test.ts`,
)

const root = fileURLToPath(new URL('..', import.meta.url))
const all = ['tests/**/*.test.ts', 'tests/**/*.test.tsx']
const hosts = 'tests/hosts/**'
/**
 * What leaves nothing behind in its process: these share processes, a quarter of whose time would go into reading the same sources again. Not those
 * that kill, that measure memory or moments, or that change what belongs to the process.
 */
const shareable = '{admission,archive,images,ledger,library,media,proxy,speech,transcribe,transfers,upstream,voice}'
const together = `tests/core/${shareable}/**/!(follow|growing|hostile|kill|large|million|wire).test.ts`

// Each file is a process, and many start processes of their own: what Node has read once need not be compiled by each.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compiled')

/** What all tests have in common. */
export const base = defineConfig({
  root,
  test: {
    // Real sockets, real SQLite and real processes on two cores: generous against a busy machine, never a way to time something.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    // As in the browser's tests: one more try where nobody looks on.
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
        test: { name: 'hosts', include: [`${hosts}/*.test.ts`], globalSetup: ['tests/helpers/built.ts'] },
      },
      {
        extends: true,
        test: { name: 'together', isolate: false, include: [together] },
      },
      {
        extends: true,
        test: { name: 'parts', include: all, exclude: [...configDefaults.exclude, ...rooms, hosts, together] },
      },
    ],
  },
})
