import * as z from 'zod'
import { profile } from './app.ts'
import { procedure } from './problem.ts'

/**
 * An API key on its way in, encrypted by the page for this process alone (ECDH P-256, HKDF-SHA-256, AES-256-GCM), so that
 * it stands in no frame, log or trace of the wire. There is no way out: no procedure returns a key.
 */
export const sealedKey = z.object({
  /** The page's one-time public key, raw, base64. */
  from: z.string(),
  /** 12 bytes, base64. */
  iv: z.string(),
  /** Ciphertext and tag, base64. */
  data: z.string(),
})
export type SealedKey = z.infer<typeof sealedKey>

export const connectionRoom = {
  /** This process's public key (raw P-256 point, base64), made at start and never stored. */
  sealingKey: procedure.output(z.object({ publicKey: z.string() })),
  /** Asks the address for its models and for the key's own record, and keeps nothing. */
  test: procedure
    .input(z.object({ baseUrl: z.string(), key: sealedKey, allowInsecure: z.boolean().default(false) }))
    .output(
      z.object({
        baseUrl: z.string(),
        models: z.number().int(),
        keyPrefix: z.string().nullable(),
        keyName: z.string().nullable(),
      }),
    ),
  /** Tests, keeps the key where asked, and makes this the active profile. Nothing is kept when the test fails. */
  connect: procedure
    .input(
      z.object({
        name: z.string().max(80).optional(),
        baseUrl: z.string(),
        key: sealedKey,
        keep: z.enum(['keychain', 'session']),
        allowInsecure: z.boolean().default(false),
      }),
    )
    .output(profile),
  /** Starts the sandbox if it does not run and makes it the active profile. */
  useSandbox: procedure.output(profile),
  /** Asks again, after a failure; also looks into the keychain again. */
  recheck: procedure.output(z.object({})),
  /** A page was looked at again, or heard of a network: while nothing answers, it is looked for now. Else nothing happens. */
  lookAgain: procedure.output(z.object({})),
  /** Forgets the active profile and its key, here and in the keychain. Conversations stay. */
  disconnect: procedure.output(z.object({})),
}
