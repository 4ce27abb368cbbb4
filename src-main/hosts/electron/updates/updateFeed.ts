import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { StudioError } from '../../../core/errors.ts'

/** Where updates of this build come from. The packages carry it in the package.json of app.asar. */
export interface UpdateFeed {
  /** Folder of the files that electron-builder writes, with a slash at the end. */
  url: URL
  /** Ed25519 key of the publisher. */
  publicKey: KeyObject
}

const about = z.object({ updates: z.object({ url: z.string(), publicKey: z.string() }).nullish() })

const isLoopback = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && hostname === '127.0.0.1'

/**
 * Reads the feed from a package.json, or returns null: a build from sources and a package without a feed offer no updates.
 * @throws StudioError `bad_input` for an address that is not https, and for a key that is not Ed25519
 */
export function readFeed(packageFile: string): UpdateFeed | null {
  const { updates } = about.parse(JSON.parse(readFileSync(packageFile, 'utf8')))
  if (!updates) return null
  const url = URL.canParse(updates.url) ? new URL(updates.url) : null
  if (!url || (url.protocol !== 'https:' && !isLoopback(url))) {
    throw new StudioError('bad_input', 'The update feed of this package has no https address.')
  }
  const der = Buffer.from(updates.publicKey, 'base64')
  try {
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
    if (publicKey.asymmetricKeyType !== 'ed25519') throw new Error('not Ed25519')
    if (!url.pathname.endsWith('/')) url.pathname += '/'
    return { url, publicKey }
  } catch (thrown) {
    throw new StudioError('bad_input', 'The update feed of this package has no Ed25519 key.', {}, { cause: thrown })
  }
}

/**
 * Checks the publisher's signature of a feed file. The file contains the SHA-512 of each installer, so that one signature covers both.
 * @param signature base64 of 64 bytes
 * @throws StudioError `bad_input` for a missing or wrong signature
 */
export function checkSignature(text: string, signature: string | null, { publicKey }: UpdateFeed): void {
  const bytes = Buffer.from(signature ?? '', 'base64')
  if (bytes.length === 64 && verify(null, Buffer.from(text), publicKey, bytes)) return
  throw new StudioError(
    'bad_input',
    'The update is not signed by the publisher of this program. Nothing was installed.',
  )
}
