import type { SealedKey } from '../../src-preload/contract/connection.ts'
import { fromBase64, toBase64 } from './base64.ts'

/**
 * Encrypts an API key so that only the core's process can read the key. Ephemeral ECDH P-256, then HKDF-SHA-256 (salt: the page's raw
 * public key followed by the core's), then AES-256-GCM. `unseal` in core/upstream/credential.ts is the counterpart.
 */
export async function sealKey(publicKeyBase64: string, text: string): Promise<SealedKey> {
  const corePoint = fromBase64(publicKeyBase64)
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const core = await crypto.subtle.importKey('raw', corePoint, curve, false, [])
  const pair = await crypto.subtle.generateKey(curve, false, ['deriveBits'])
  const point = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
  const shared = await crypto.subtle.deriveBits({ name: 'ECDH', public: core }, pair.privateKey, 256)
  const secret = await crypto.subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey'])
  const salt = new Uint8Array(point.length + corePoint.length)
  salt.set(point)
  salt.set(corePoint, point.length)
  const key = await crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt, info: new TextEncoder().encode('inference-studio key') },
    secret,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt'],
  )
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, new TextEncoder().encode(text))
  return { from: toBase64(point), iv: toBase64(iv), data: toBase64(new Uint8Array(data)) }
}
