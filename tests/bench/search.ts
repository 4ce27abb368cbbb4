import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { call } from '@orpc/server'
import { ChatLibrary } from '../../src-main/core/features/library/library.ts'
import { implementer } from '../../src-main/core/handlers/implementer.ts'
import { libraryHandlers } from '../../src-main/core/handlers/library.ts'
import type { Host } from '../../src-main/core/host.ts'
import { databaseFile, openStore } from '../../src-main/core/store/store.ts'
import { forkNode } from '../../src-main/hosts/node/forkNode.ts'
import { rightClock } from '../core/helpers/deadlines.ts'
import { seededRandom } from '../helpers/seededRandom.ts'

/** Measures the search over this many messages, through its handler, and prints the result as JSON. */
const rows = Number(process.argv[2] ?? 100_000)
const rounds = Number(process.argv[3] ?? 20)

const random = seededRandom(42)
/** A random index by Zipf's law: low indexes are frequent, high ones rare. */
const zipf = (length: number): number => Math.min(length - 1, Math.floor(length ** random()) - 1)

const syllables =
  'a an as at be by co de do ed en er es ex fi for ge go he her i in ing is it ja ko la le li lo ma me mi mo na ne no of on or pa per pro qua ra re ri ro sa se si so st ta te th ti to tra u un ver vi wa we xe y za'.split(
    ' ',
  )
const vocabulary = Array.from({ length: 40_000 }, (_, at) => {
  let word = ''
  for (let n = 1 + Math.floor(random() * 3) + (at > 100 ? 1 : 0); n > 0; n -= 1) {
    word += syllables[Math.floor(random() * syllables.length)]
  }
  return word
})
const han = (): string => String.fromCodePoint(0x4e00 + zipf(6000))

function message(at: number): string {
  // The median is 400 characters; one in a hundred has 20 kB.
  const length = at % 100 === 0 ? 20_000 : Math.round(400 * Math.exp((random() + random() + random() - 1.5) * 1.2))
  let text = ''
  if (at % 5 === 0) {
    while (text.length < length) text += random() < 0.06 ? '，' : han()
  } else while (text.length < length) text += `${vocabulary[zipf(vocabulary.length)]}${random() < 0.1 ? '. ' : ' '}`
  if (at === Math.floor(rows / 3)) text += ' xylographer 龘靐'
  return text
}

function fill(dataDir: string): void {
  openStore(dataDir).close()
  const handle = new DatabaseSync(databaseFile(dataDir))
  handle.exec('PRAGMA synchronous = OFF; BEGIN')
  const conversation = handle.prepare(
    'INSERT INTO conversations (id, title, created_at, updated_at, leaf_id, path_length) VALUES (?, ?, ?, ?, ?, 10)',
  )
  const insert = handle.prepare(
    "INSERT INTO messages (id, conversation_id, parent_id, role, text, status, created_at) VALUES (?, ?, ?, ?, ?, 'complete', ?)",
  )
  const id = (kind: number, at: number): string =>
    `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(at).padStart(12, '0')}`
  // 10,000 conversations of ten messages.
  for (let at = 0; at < rows; at += 1) {
    const which = Math.floor(at / 10)
    const when = new Date(1_700_000_000_000 + at * 60_000).toISOString()
    if (at % 10 === 0) {
      const title = Array.from({ length: 4 }, () => vocabulary[zipf(vocabulary.length)]).join(' ')
      conversation.run(id(1, which), title, when, when, id(2, Math.min(rows - 1, at + 9)))
    }
    insert.run(
      id(2, at),
      id(1, which),
      at % 10 ? id(2, at - 1) : null,
      at % 2 ? 'assistant' : 'user',
      message(at),
      when,
    )
  }
  handle.exec('COMMIT')
  handle.close()
}

/** ms of CPU of all threads since `from`. */
const cpuOf = (from: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
}
const quantile = (all: number[], q: number): number => all.toSorted((a, b) => a - b)[Math.ceil(q * all.length) - 1] ?? 0

const dataDir = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'studio-search-'))
try {
  fill(dataDir)
  const before = statSync(databaseFile(dataDir)).size
  const store = openStore(dataDir)
  // CPU that one step uses on the core's thread. Pauses of a busy machine are not included.
  const slices: number[] = []
  const measured =
    <A extends unknown[], R>(work: (...args: A) => R) =>
    (...args: A): R => {
      const start = process.threadCpuUsage()
      try {
        return work(...args)
      } finally {
        const { user, system } = process.threadCpuUsage(start)
        slices.push((user + system) / 1000)
      }
    }
  store.search.write = measured(store.search.write)
  store.search.merge = measured(store.search.merge)
  const lag = monitorEventLoopDelay({ resolution: 1 })
  lag.enable()
  let from = performance.now()
  const library = new ChatLibrary({
    deadlines: rightClock(),
    store,
    databaseFile: databaseFile(dataDir),
    dropMedia: async () => undefined,
    deleteBodies: async () => undefined,
    log: (_, line) => console.error(line),
  })
  await library.indexed()
  lag.disable()
  const indexing = {
    ms: performance.now() - from,
    rate: rows / ((performance.now() - from) / 1000),
    lagP99: lag.percentile(99) / 1e6,
    lagWorst: lag.max / 1e6,
    sliceP99: quantile(slices, 0.99),
    sliceWorst: Math.max(...slices),
  }

  const host: Host = {
    name: 'web',
    version: '0',
    dataDir,
    secrets: {
      probe: async () => ({ available: false, reason: '' }),
      get: async () => null,
      set: async () => undefined,
      delete: async () => undefined,
    },
    openExternal: async () => undefined,
    reveal: async () => false,
    dragOut: null,
    fork: forkNode,
    restart: null,
    notify: null,
    log: (_, line) => console.error(line),
  }
  const { search } = libraryHandlers(implementer(host).library, host, library)
  await call(search, { text: 'warm', limit: 50 })
  const common = vocabulary[1] ?? ''
  const words = [vocabulary[150], vocabulary[900], vocabulary[4000], vocabulary[12_000]].map(String)
  const kinds: Record<string, string[]> = {
    'one letter': ['a', 's', 't', 'e', 'x'],
    'two letters': ['th', 'an', 'st', 'qu'],
    'three letters': ['tra', 'ver', 'pro', 'ing'],
    'common word': [`${common} `, `${vocabulary[0]} `],
    'rare word': ['xylographer'],
    'absent word': ['zzzyzx', 'notawordatall'],
    'two CJK characters': [
      `${String.fromCodePoint(0x4e00, 0x4e01)}`,
      String.fromCodePoint(0x4e40, 0x4e11),
      '龘靐',
      String.fromCodePoint(0x5e00, 0x5e01),
    ],
    phrase: [`${vocabulary[2]}-${vocabulary[3]}-${vocabulary[5]}`, `${vocabulary[1]}-${vocabulary[0]}`],
    'words and a beginning': [
      `${common} ${vocabulary[2]} ${vocabulary[40]?.slice(0, 2)}`,
      `${words[0]} ${words[1]} a`,
      'xylographer a',
    ],
    'as typed, 1 to 20 characters': words.flatMap((word) =>
      Array.from({ length: 20 }, (_, at) => `${word} ${common} ${vocabulary[77]} ${vocabulary[300]}`.slice(0, at + 1)),
    ),
  }
  lag.reset()
  lag.enable()
  const figures: Record<string, { p50: number; p95: number; worst: number; hits: number; cpu: number }> = {}
  for (const [kind, texts] of Object.entries(kinds)) {
    const times: number[] = []
    let hits = 0
    const cpuFrom = process.cpuUsage()
    for (let round = 0; round < rounds; round += 1) {
      for (const text of texts) {
        from = performance.now()
        const answer = await call(search, { text, limit: 50 })
        times.push(performance.now() - from)
        hits = Math.max(hits, answer.hits.length)
        await nextTurn()
      }
    }
    figures[kind] = {
      p50: quantile(times, 0.5),
      p95: quantile(times, 0.95),
      worst: Math.max(...times),
      hits,
      cpu: cpuOf(cpuFrom) / times.length,
    }
  }
  lag.disable()
  await library.close()
  store.close()
  const index = statSync(databaseFile(dataDir)).size - before
  console.log(
    JSON.stringify({
      rows,
      bytes: before,
      index,
      indexing,
      searching: { lagP99: lag.percentile(99) / 1e6, lagWorst: lag.max / 1e6 },
      figures,
    }),
  )
} finally {
  if (!process.env.BENCH_RETAIN_DATA) rmSync(dataDir, { recursive: true, force: true })
}
