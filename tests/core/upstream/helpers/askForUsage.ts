import { edited } from '../../../../src-main/core/upstream/request/askForUsage.ts'
import { readParameters } from '../../../../src-main/core/upstream/request/parameters.ts'

/** The body with `stream_options.include_usage: true`, as the relay sends it. Null when it passes unchanged. */
export function askForUsage(body: Uint8Array, { usageEdit } = readParameters('chat', body)): Uint8Array | null {
  return usageEdit && edited(body, usageEdit)
}
