import type { SealedKey } from '../../../src-preload/contract/connection.ts'

/** Encrypts an API key for `connection.connect`, as the page does (contract/connection.ts). @param publicKey base64, raw P-256 point */
export async function sealKey(publicKey: string, text: string): Promise<SealedKey> {
  const theirs = Buffer.from(publicKey, 'base64')
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const peer = await crypto.subtle.importKey('raw', theirs, curve, false, [])
  const pair = await crypto.subtle.generateKey(curve, false, ['deriveBits'])
  const ours = Buffer.from(await crypto.subtle.exportKey('raw', pair.publicKey))
  const shared = await crypto.subtle.deriveBits({ name: 'ECDH', public: peer }, pair.privateKey, 256)
  const derivation = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: Buffer.concat([ours, theirs]),
    info: Buffer.from('inference-studio key'),
  }
  const secret = await crypto.subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey'])
  const key = await crypto.subtle.deriveKey(derivation, secret, { name: 'AES-GCM', length: 256 }, false, ['encrypt'])
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, Buffer.from(text))
  return {
    from: ours.toString('base64'),
    iv: Buffer.from(iv).toString('base64'),
    data: Buffer.from(data).toString('base64'),
  }
}
