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

/** What a person calls a connection; no two are called the same, whatever their case. */
export const profileName = z.string().trim().min(1).max(80)

export const connectionProcedures = {
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
  /**
   * Tests, keeps the key where asked, and makes this the active profile. Nothing is kept when the test fails. Whose address changes gives
   * the key again: it must not go to an address that it was not given for.
   * @throws `bad_input` for a name that another one has
   */
  connect: procedure
    .input(
      z.object({
        /** This profile gets another address and key; without, one is added. */
        id: z.string().optional(),
        /** True: where nothing says which (`id`), the one of this name, or else the only one at this address, is changed instead of adding another. */
        again: z.boolean().default(false),
        /** The host's name, and a number where that is taken, if not given. */
        name: profileName.optional(),
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
  /**
   * Makes this the active profile. New requests go there at once, whether it answers or not; what was sent before ends where it was sent.
   * What was connected stays where the key of this one can't be had.
   * @throws `no_such_item`, `not_connected` (its key must be given again), `keychain_locked`, `keychain_missing`
   */
  use: procedure.input(z.object({ id: z.string() })).output(profile),
  /** @throws `no_such_item`, `bad_input` for a name that another one has */
  rename: procedure.input(z.object({ id: z.string(), name: profileName })).output(profile),
  /** Forgets a profile and its key, here and in the keychain, and cuts what runs over it. Nothing else is connected in its place. */
  forget: procedure.input(z.object({ id: z.string() })).output(z.object({})),
  /** Forgets the active profile, as `forget`. */
  disconnect: procedure.output(z.object({})),
}
