import { DatabaseSync } from 'node:sqlite'

/** Another connection that holds the write lock of a database, as a database browser with an open edit does. Returns how to release it. */
export function lock(file: string): () => void {
  const handle = new DatabaseSync(file, { timeout: 10_000 })
  handle.exec('BEGIN IMMEDIATE')
  return () => {
    if (!handle.isOpen) return
    handle.exec('ROLLBACK')
    handle.close()
  }
}
