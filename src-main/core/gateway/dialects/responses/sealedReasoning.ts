import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** With what reasoning is sealed. Data that another thread can get. */
export interface Sealing {
  /** 32 random bytes of this computer. Never the service's key. */
  key: Uint8Array
  /** Id of the app. Content that was sealed for another app can't be opened. */
  app: string
}

/** Largest reasoning that is sealed, bytes of UTF-8. More than a model writes in one turn. */
export const maxSealedBytes = 1024 * 1024

/**
 * Marks content of this program, and the version of its form: in base64 the nonce, the encrypted text and the tag. Not base64url, whose `_`
 * can form what looks like an app key, which is masked in stored responses.
 */
const prefix = 'studio-reasoning-1.'
const nonceBytes = 12
const tagBytes = 16
const maxContentLength = prefix.length + 4 * Math.ceil((maxSealedBytes + nonceBytes + tagBytes) / 3)

const dataOf = ({ app }: Sealing): Buffer => Buffer.from(`${prefix}${app}`)

/**
 * The `encrypted_content` of a reasoning item: its text, encrypted and authenticated with AES-256-GCM (NIST SP 800-38D). Null when the text
 * is too long. Not pure: each call has a new nonce.
 */
export function sealedReasoning(text: string, sealing: Sealing): string | null {
  const bytes = Buffer.from(text.toWellFormed(), 'utf8')
  if (bytes.length > maxSealedBytes) return null
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', sealing.key, nonce).setAAD(dataOf(sealing))
  const encrypted = [cipher.update(bytes), cipher.final()]
  return prefix + Buffer.concat([nonce, ...encrypted, cipher.getAuthTag()]).toString('base64')
}

/** The text of sealed reasoning, or null when the content is damaged, of another program, computer or app. Never throws. */
export function openedReasoning(content: unknown, sealing: Sealing): string | null {
  if (typeof content !== 'string' || content.length > maxContentLength || !content.startsWith(prefix)) return null
  const bytes = Buffer.from(content.slice(prefix.length), 'base64')
  if (bytes.length < nonceBytes + tagBytes) return null
  const decipher = createDecipheriv('aes-256-gcm', sealing.key, bytes.subarray(0, nonceBytes)).setAAD(dataOf(sealing))
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    const opened = [decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]
    return Buffer.concat(opened).toString('utf8')
  } catch {
    // The tag does not fit: nothing of the content can be trusted.
    return null
  }
}
