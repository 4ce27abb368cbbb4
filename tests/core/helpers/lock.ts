import { DatabaseSync } from 'node:sqlite'

/**
 * Locks a database for writing from another connection, like a database browser with an open edit. Returns a function that releases the
 * lock.
 */
export function lock(file: string): () => void {
  const handle = new DatabaseSync(file, { timeout: 10_000 })
  handle.exec('BEGIN IMMEDIATE')
  return () => {
    if (!handle.isOpen) return
    handle.exec('ROLLBACK')
    handle.close()
  }
}
