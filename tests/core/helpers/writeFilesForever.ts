// Writes to a data folder like a core and as fast as possible, until it is killed. Writes files before their rows and deletes them after
// their rows. A simultaneous backup meets deleted files. node writeFilesForever.ts FOLDER
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const dataDir = process.argv[2] ?? ''
const handle = new DatabaseSync(join(dataDir, 'studio.sqlite'), { timeout: 5000 })
const media = join(dataDir, 'media')
mkdirSync(media, { recursive: true })
const add = handle.prepare(
  "INSERT INTO media (id, kind, mime, bytes, sha256, created_at, drafted) VALUES (?, 'image', 'image/png', ?, ?, '2026-01-01T00:00:00.000Z', 1)",
)
const drop = handle.prepare('DELETE FROM media WHERE id = ?')
const mark = handle.prepare("INSERT OR REPLACE INTO settings (key, value) VALUES ('step', ?)")
const there: string[] = []
for (let step = 1; ; step += 1) {
  const id = randomUUID()
  const bytes = Buffer.from(`${step} ${id} `.repeat(50))
  writeFileSync(join(media, id), bytes)
  handle.exec('BEGIN')
  add.run(id, bytes.length, createHash('sha256').update(bytes).digest('hex'))
  mark.run(String(step))
  handle.exec('COMMIT')
  there.push(id)
  if (there.length > 60) {
    const [gone = ''] = there.splice(Math.floor(Math.random() * there.length), 1)
    drop.run(gone)
    rmSync(join(media, gone))
  }
  writeSync(1, `${step}\n`)
}
