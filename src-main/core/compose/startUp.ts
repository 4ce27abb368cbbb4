import { connectForNow, connectNamed, connectSandbox, openStored } from '../features/connections/connect.ts'
import type { Session } from '../features/connections/session.ts'
import type { BeyondLoopback } from '../gateway/proxy/frontendOptions.ts'
import { startStartingUpServer } from '../gateway/proxy/startingUpServer.ts'
import { defaultSettings } from '../store/defaultSettings.ts'
import { peekSettings } from '../store/settings.ts'
import { databaseFile } from '../store/store.ts'
import { wantedServer } from './gateway.ts'

/**
 * The server that answers 503 on the port of the local API while a long check of the data folder runs.
 * @param port `CoreOptions.proxyPort`
 * @param beyond `CoreOptions.beyondLoopback`
 */
export function startingUp(dataDir: string, port: number | null | undefined, beyond?: BeyondLoopback) {
  let settings = defaultSettings
  let server: ReturnType<typeof startStartingUpServer> | null = null
  return {
    /** Reads where the local API will listen. Call before the check, while no other part has the database open. */
    readSettings(): void {
      settings = peekSettings(databaseFile(dataDir))
    },
    async start(): Promise<void> {
      server ??= startStartingUpServer({ ...wantedServer(settings, port), beyond }, settings.proxyOrigins)
      await server
    },
    async stop(): Promise<void> {
      const started = await server
      server = null
      await started?.close()
    },
  }
}
export type StartingUp = ReturnType<typeof startingUp>

/** The service to connect to for one run. `profile` is the id or the name of a stored profile. */
export type StartConnection = { baseUrl: string; apiKey: string } | { sandbox: true } | { profile: string }

/**
 * Opens the connection of this run. Without `connect`, opens the active stored profile; its failure becomes a state, not an exception.
 * @throws StudioError `no_such_item`, `not_connected`, `bad_input`, and the failures of the keychain
 */
export async function connectAtStart(session: Session, connect: StartConnection | undefined): Promise<void> {
  if (connect && 'sandbox' in connect) await connectSandbox(session, { remember: false })
  else if (connect && 'profile' in connect) await connectNamed(session, connect.profile)
  else if (connect) await connectForNow(session, connect)
  else await openStored(session)
}
