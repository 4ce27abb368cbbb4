import { edited } from '../../../../src-main/core/upstream/request/askForUsage.ts'
import { type RequestParameters, RequestScan } from '../../../../src-main/core/upstream/request/parameters.ts'
import type { Endpoint } from '../../../../src-preload/contract/requests.ts'

/** The parameters of a JSON request that arrives as one piece. */
export function readParameters(endpoint: Endpoint, body: Uint8Array): RequestParameters {
  const scan = new RequestScan(endpoint)
  scan.push(body)
  return scan.asked()
}

/** The body with `stream_options.include_usage: true`, as the relay sends it. Null when it passes unchanged. */
export function askForUsage(body: Uint8Array, { usageEdit } = readParameters('chat', body)): Uint8Array | null {
  return usageEdit && edited(body, [usageEdit])
}
