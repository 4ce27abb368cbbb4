import type { Database } from './database.ts'
import { text } from './rows.ts'

/** What a sample depends on. `service` is the base URL. */
export interface VoiceSampleKey {
  service: string
  voice: string
  text: string
}

/** The stored samples of voices. */
export function voiceSampleTable({ handle, transaction }: Database) {
  const find = handle.prepare('SELECT media_id FROM voice_samples WHERE service = ? AND voice = ? AND text = ?')
  const save = handle.prepare(
    'INSERT OR REPLACE INTO voice_samples (service, voice, text, media_id) VALUES (:service, :voice, :text, :mediaId)',
  )
  return {
    /** Id of the sample's media file, or null. */
    find({ service, voice, text: words }: VoiceSampleKey): string | null {
      const row = find.get(service, voice, words)
      return row ? text(row, 'media_id') : null
    },
    save: ({ service, voice, text: words }: VoiceSampleKey, mediaId: string): void =>
      transaction(() => void save.run({ service, voice, text: words, mediaId })),
  }
}
