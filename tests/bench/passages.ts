import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createProjects } from '../../src-main/core/features/projects/projects.ts'
import { databaseFile, openStore } from '../../src-main/core/store/store.ts'
import { seededRandom } from '../helpers/seededRandom.ts'

/** Measures the search for passages in 50 MB of text, through the worker thread, and prints the result as JSON. */
const megabytes = Number(process.argv[2] ?? 50)
const questions = Number(process.argv[3] ?? 100)

const random = seededRandom(7)
/** A word by Zipf's law: few are very frequent. */
function word(): string {
  const at = Math.floor(60_000 ** random())
  return `${at.toString(36)}${'aeiourstln'[at % 10]}${'ingedlyon'.slice(at % 7)}`
}
function text(length: number): string {
  let made = ''
  while (made.length < length) made += `${word()}${random() < 0.08 ? '. ' : random() < 0.01 ? '\n\n' : ' '}`
  return made
}

const dataDir = mkdtempSync(join(tmpdir(), 'studio-passages-'))
try {
  const store = openStore(dataDir)
  const folderId = randomUUID()
  const createdAt = new Date().toISOString()
  store.folders.insert({
    id: folderId,
    name: 'Bench',
    createdAt,
    model: null,
    instructions: null,
    params: null,
    wholeTokens: 0,
  })
  const handle = new DatabaseSync(databaseFile(dataDir))
  const media = handle.prepare(
    "INSERT INTO media (id, kind, mime, bytes, sha256, created_at) VALUES (?, 'document', 'application/octet-stream', 1, ?, ?)",
  )
  for (let file = 0; file < 10; file += 1) {
    const mediaId = randomUUID()
    media.run(mediaId, mediaId, createdAt)
    store.documents.begin(mediaId)
    store.documents.addParts(mediaId, 1, [{ label: '', tokens: 1, text: text(megabytes * 100_000) }])
    store.documents.finish(mediaId, { kind: 'text', mime: 'text/plain', unit: 'text', parts: 1, tokens: 1, notes: [] })
    store.pinnedFiles.insert({ folderId, mediaId, name: `${file}.txt`, addedAt: createdAt })
  }
  handle.close()
  const projects = createProjects({
    store,
    databaseFile: databaseFile(dataDir),
    dropMedia: async () => undefined,
    changed: () => undefined,
  })
  const before = performance.now()
  await projects.indexed()
  const indexSeconds = (performance.now() - before) / 1000
  const times: number[] = []
  for (let at = 0; at < questions; at += 1) {
    const question = Array.from({ length: 3 + (at % 12) }, word).join(' ')
    const start = performance.now()
    await projects.context({ conversationId: null, folderId, text: question })
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? 0
  process.stdout.write(JSON.stringify({ megabytes, indexSeconds, p50: at(0.5), p95: at(0.95), worst: at(1) }))
  await projects.close()
  store.close()
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
