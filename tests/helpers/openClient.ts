import { parseBaseAddress } from '../../src-main/core/upstream/address.ts'
import { openUpstream, type Upstream, type UpstreamOptions } from '../../src-main/core/upstream/client.ts'
import { Credential } from '../../src-main/core/upstream/credential.ts'

/** A client of a service on loopback. */
export const openClient = (
  baseUrl: string,
  apiKey: string,
  options: Omit<UpstreamOptions, 'base' | 'credential'> = {},
): Upstream =>
  openUpstream({
    base: parseBaseAddress(baseUrl, { allowInsecure: false }),
    credential: Credential.fromText(apiKey),
    ...options,
  })
