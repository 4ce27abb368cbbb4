import { readFileSync, writeFileSync } from 'node:fs'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { sha256 } from './studio.ts'

/** Changes entries of an archive and signs the result with a matching manifest. */
export function forge(file: string, change: (name: string, text: string) => string): void {
  const entries = unzipSync(readFileSync(file))
  const changed = Object.entries(entries).map(
    ([name, bytes]) => [name, strToU8(change(name, Buffer.from(bytes).toString()))] as const,
  )
  const forged = new Map(changed)
  const manifest = JSON.parse(Buffer.from(forged.get('manifest.json') ?? []).toString())
  for (const entry of manifest.entries) {
    const bytes = forged.get(entry.name) ?? new Uint8Array()
    Object.assign(entry, { bytes: bytes.length, sha256: sha256(bytes) })
  }
  forged.set('manifest.json', strToU8(JSON.stringify(manifest)))
  writeFileSync(file, zipSync(Object.fromEntries(forged)))
}
