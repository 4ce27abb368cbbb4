import type { Router } from '@orpc/server'
import type { Contract } from '../../../src-preload/contract/contract.ts'
import type { CoreOptions } from '../../core/core.ts'
import type { Host } from '../../core/host.ts'
import type { BytesHandler } from '../../core/ports/bytes.ts'
import type { StoredData } from '../../core/stored.ts'
import type { MediaSource } from '../media.ts'

/** A running core, driven through the same procedures as the page. */
export interface RunningCore {
  readonly router: Router<Contract, Record<never, never>>
  /** Address and API key of the sandbox that this core started, or null. */
  sandbox(): { baseUrl: string; apiKey: string } | null
  /** Metrics in the Prometheus text format, or null while they are switched off. */
  metrics(): Promise<string | null>
  /** Serves `/transfers/ID`. */
  readonly bytes: BytesHandler
  /** Serves `/media/ID`. */
  readonly media: MediaSource
  /** Publishes the address of this process, so that a second process for the same data folder can name it. */
  announce(address: string | null): void
  /** Marks unfinished replies and closes the databases. */
  stop(): Promise<void>
}

/** Dependencies of the commands, imported on first use, so that `--help` and `apps` start without the core. */
export interface Parts extends StoredData {
  startCore(host: Host, options: CoreOptions): Promise<RunningCore>
  startSandbox(options: {
    port: number
    replay?: { fixture: string; timing: 'recorded' | 'immediate'; isExact: boolean }
  }): Promise<{ baseUrl: string; apiKey: string; close(): Promise<void> }>
}
