import type { Host } from './host.ts'

/** Ways to start that a command line may ask for; all absent means "as it was left". */
export interface CoreOptions {
  /** Connect to this for this run alone, instead of the stored profile. */
  connect?: { baseUrl: string; apiKey: string } | { sandbox: true }
  /** Port of the local /v1 for this run; 0 means any; null means that it does not run. */
  proxyPort?: number | null
}

/** Filled in by the core room; hosts and tests know this much of it. */
export interface Core {
  stop(): Promise<void>
}

export type CreateCore = (host: Host, options?: CoreOptions) => Promise<Core>
