import type { SealedKey } from '../../../src-preload/contract/connection.ts'
import {
  connect,
  connectSandbox,
  disconnect,
  removeConnection,
  rename,
  retest,
  switchTo,
  test,
  testIfOffline,
} from '../features/connections/connect.ts'
import type { Session } from '../features/connections/session.ts'
import { Credential, sealingPublicKey, unseal } from '../upstream/credential.ts'
import { done, type Implementer } from './implementer.ts'

const credentialOf = (key: SealedKey | null) => (key === null ? Credential.none : unseal(key))

/** Procedures about connections to the service. Keys arrive sealed and are unsealed here. */
export function connectionHandlers(os: Implementer['connection'], session: Session) {
  return {
    sealingKey: os.sealingKey.handler(async () => ({ publicKey: await sealingPublicKey() })),
    test: os.test.handler(async ({ input }) => test(session, { ...input, credential: await credentialOf(input.key) })),
    connect: os.connect.handler(async ({ input: { key, ...input } }) =>
      connect(session, { ...input, credential: await credentialOf(key) }),
    ),
    useSandbox: os.useSandbox.handler(() => connectSandbox(session)),
    retest: os.retest.handler(() => done(retest(session))),
    testIfOffline: os.testIfOffline.handler(() => done(testIfOffline(session))),
    use: os.use.handler(({ input }) => switchTo(session, input.id)),
    rename: os.rename.handler(({ input }) => rename(session, input)),
    remove: os.remove.handler(({ input }) => done(removeConnection(session, input.id))),
    disconnect: os.disconnect.handler(() => done(disconnect(session))),
  }
}
