import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type Settings, settings } from '../../../src-preload/contract/app.ts'
import type { Database } from './database.ts'
import { defaultSettings } from './defaultSettings.ts'
import { parseJson, type Row, readEach, text } from './rows.ts'

const selectAll = 'SELECT key, value FROM settings'

const readRows = (rows: Row[]): Settings =>
  readEach(
    settings.shape,
    defaultSettings,
    Object.fromEntries(rows.map((row) => [text(row, 'key'), parseJson(text(row, 'value'))])),
  )

/** Settings of a file that may be of an earlier version, or damaged. Unreadable ones have their defaults. No process may have the file open. */
export function peekSettings(file: string): Settings {
  if (!existsSync(file)) return defaultSettings
  try {
    const handle = new DatabaseSync(file, { readOnly: true })
    try {
      return readRows(handle.prepare(selectAll).all())
    } finally {
      handle.close()
    }
  } catch {
    return defaultSettings
  }
}

const sealingKeyRow = 'sealingKey'

/** One row per setting, its value as JSON. A value that this version cannot parse counts as not set; unknown keys stay. */
export function settingsTable({ handle, transaction }: Database) {
  const all = handle.prepare(selectAll)
  const set = handle.prepare(
    'INSERT INTO settings (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = :value',
  )
  const one = handle.prepare('SELECT value FROM settings WHERE key = ?')
  let sealingKey: Uint8Array | null = null
  return {
    /**
     * 32 random bytes that seal what this computer gives to apps and reads again. Made at first use, and not one of the settings that a
     * person can see. The service's key has no part in it.
     */
    sealingKey(): Uint8Array {
      if (sealingKey) return sealingKey
      const row = one.get(sealingKeyRow)
      const stored = row ? Buffer.from(String(parseJson(text(row, 'value'))), 'base64url') : null
      sealingKey = new Uint8Array(stored?.length === 32 ? stored : randomBytes(32))
      if (stored?.length !== 32) {
        const value = JSON.stringify(Buffer.from(sealingKey).toString('base64url'))
        transaction(() => set.run({ key: sealingKeyRow, value }))
      }
      return sealingKey
    },
    read: (): Settings => readRows(all.all()),
    write(changes: { [K in keyof Settings]?: Settings[K] | undefined }): void {
      transaction(() => {
        for (const [key, value] of Object.entries(changes)) {
          if (value !== undefined) set.run({ key, value: JSON.stringify(value) })
        }
      })
    },
  }
}
