import * as z from 'zod'
import { profile } from './app.ts'
import { procedure } from './problem.ts'

/**
 * An API key that the page sends, encrypted for this process only (ECDH P-256, HKDF-SHA-256, AES-256-GCM), so that
 * no frame, log or trace of the transport contains it. No procedure returns a key.
 */
export const sealedKey = z.object({
  /** The one-time public key of the page, raw, base64. */
  from: z.string(),
  /** 12 bytes, base64. */
  iv: z.string(),
  /** Ciphertext and tag, base64. */
  data: z.string(),
})
export type SealedKey = z.infer<typeof sealedKey>

/** Null: the service needs no key. */
const connectionKey = sealedKey.nullable()

/** Name of a connection, unique ignoring case. */
export const profileName = z.string().trim().min(1).max(80)

export const connectionProcedures = {
  /** The public key of this process (raw P-256 point, base64), generated at start and never stored. */
  sealingKey: procedure.output(z.object({ publicKey: z.string() })),
  /** Requests the models and the key record of a service. Stores nothing. */
  test: procedure
    .input(z.object({ baseUrl: z.string(), key: connectionKey, allowInsecure: z.boolean().default(false) }))
    .output(
      z.object({
        baseUrl: z.string(),
        models: z.number().int(),
        keyPrefix: z.string().nullable(),
        keyName: z.string().nullable(),
      }),
    ),
  /**
   * Tests the connection, stores the key and puts the connection in use. Stores nothing when the test fails. A changed
   * base URL needs the key again, so that a key is never sent to another service.
   * @throws `bad_input` for a name in use
   */
  connect: procedure
    .input(
      z.object({
        /** The profile to change. Without it, a profile is added. */
        id: z.string().optional(),
        /**
         * True: without `id`, changes the profile with this name, or else the only one with this base URL, instead of
         * adding one.
         */
        updateExisting: z.boolean().default(false),
        /** Default: the host name, with a number when that is in use. */
        name: profileName.optional(),
        baseUrl: z.string(),
        key: connectionKey,
        keyStorage: z.enum(['keychain', 'session']),
        allowInsecure: z.boolean().default(false),
      }),
    )
    .output(profile),
  /** Starts the sandbox if needed and puts it in use. */
  useSandbox: procedure.output(profile),
  /** Tests again after a failure. Also reads the keychain again. */
  retest: procedure.output(z.object({})),
  /** Reports that a page became visible or came online. Tests the connection now if it is offline. */
  testIfOffline: procedure.output(z.object({})),
  /**
   * Puts a profile in use. New requests use it at once, even while it is offline; running requests continue on
   * the old connection. Without a key the previous connection stays in use.
   * @throws `no_such_item`, `not_connected` (the key must be entered again), `keychain_locked`, `keychain_missing`
   */
  use: procedure.input(z.object({ id: z.string() })).output(profile),
  /** @throws `no_such_item`, `bad_input` for a name in use */
  rename: procedure.input(z.object({ id: z.string(), name: profileName })).output(profile),
  /**
   * Deletes a profile and its key, also from the keychain, and cancels its requests. No other connection is put in use.
   */
  remove: procedure.input(z.object({ id: z.string() })).output(z.object({})),
  /** Deletes the profile in use, as `remove`. */
  disconnect: procedure.output(z.object({})),
}
