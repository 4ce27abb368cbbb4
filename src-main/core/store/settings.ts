import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type Settings, settings } from '../../../src-preload/contract/app.ts'
import type { Database } from './database.ts'
import { defaultSettings } from './defaultSettings.ts'
import { parseJson, type Row, text } from './rows.ts'

const readable = settings.extend({
  theme: settings.shape.theme.catch(defaultSettings.theme),
  fontSize: settings.shape.fontSize.catch(defaultSettings.fontSize),
  density: settings.shape.density.catch(defaultSettings.density),
  sendKey: settings.shape.sendKey.catch(defaultSettings.sendKey),
  proxyEnabled: settings.shape.proxyEnabled.catch(defaultSettings.proxyEnabled),
  proxyPort: settings.shape.proxyPort.catch(defaultSettings.proxyPort),
  proxyIpv6: settings.shape.proxyIpv6.catch(defaultSettings.proxyIpv6),
  proxyOrigins: settings.shape.proxyOrigins.catch(defaultSettings.proxyOrigins),
  metrics: settings.shape.metrics.catch(defaultSettings.metrics),
  bodyDays: settings.shape.bodyDays.catch(defaultSettings.bodyDays),
  logDays: settings.shape.logDays.catch(defaultSettings.logDays),
  chatModel: settings.shape.chatModel.catch(defaultSettings.chatModel),
  newChatModel: settings.shape.newChatModel.catch(defaultSettings.newChatModel),
  newChatInstructions: settings.shape.newChatInstructions.catch(defaultSettings.newChatInstructions),
  titleModel: settings.shape.titleModel.catch(defaultSettings.titleModel),
  textActionModel: settings.shape.textActionModel.catch(defaultSettings.textActionModel),
  textActions: settings.shape.textActions.catch(defaultSettings.textActions),
  textActionToolbar: settings.shape.textActionToolbar.catch(defaultSettings.textActionToolbar),
  chatBodies: settings.shape.chatBodies.catch(defaultSettings.chatBodies),
  toolRounds: settings.shape.toolRounds.catch(defaultSettings.toolRounds),
  shortcuts: settings.shape.shortcuts.catch(defaultSettings.shortcuts),
  language: settings.shape.language.catch(defaultSettings.language),
  closeAction: settings.shape.closeAction.catch(defaultSettings.closeAction),
  openAtLogin: settings.shape.openAtLogin.catch(defaultSettings.openAtLogin),
  spellcheck: settings.shape.spellcheck.catch(defaultSettings.spellcheck),
  checkForUpdates: settings.shape.checkForUpdates.catch(defaultSettings.checkForUpdates),
  quickShortcut: settings.shape.quickShortcut.catch(defaultSettings.quickShortcut),
  syncFolder: settings.shape.syncFolder.catch(defaultSettings.syncFolder),
  syncAutomatic: settings.shape.syncAutomatic.catch(defaultSettings.syncAutomatic),
  syncMinutes: settings.shape.syncMinutes.catch(defaultSettings.syncMinutes),
  voice: settings.shape.voice.catch(defaultSettings.voice),
})

const selectAll = 'SELECT key, value FROM settings'
const readRows = (rows: Row[]): Settings =>
  readable.parse(Object.fromEntries(rows.map((row) => [text(row, 'key'), parseJson(text(row, 'value'))])))

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

/** One row per setting, its value as JSON. A value that this version cannot parse counts as not set; unknown keys stay. */
export function settingsTable({ handle, transaction }: Database) {
  const all = handle.prepare(selectAll)
  const set = handle.prepare(
    'INSERT INTO settings (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = :value',
  )
  return {
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
