import type { FetchLike } from '@modelcontextprotocol/client'
import { StudioError } from '../../../../errors.ts'
import { checkedAddress } from './addresses.ts'

export interface OAuthFetchOptions {
  fetch: typeof fetch
  /** Address of the MCP server. */
  serverUrl: string
  /** Largest reply, bytes. */
  maxBytes: number
  /** Time for one request with its reply, ms. */
  timeoutMs: number
  signal?: AbortSignal
}

/**
 * `fetch` for metadata, registration and tokens. Checks every address, also those of redirects, which the library follows within one origin
 * only. Sends none of the headers that a person configured for the MCP server. Reads a reply completely, within its limits.
 */
export function oauthFetch({ fetch, serverUrl, maxBytes, timeoutMs, signal }: OAuthFetchOptions): FetchLike {
  return async (address, init) => {
    const url = checkedAddress(address, serverUrl, 'an address of the sign-in')
    const late = AbortSignal.timeout(timeoutMs)
    const signals = [late, signal, init?.signal].filter((one) => one instanceof AbortSignal)
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) })
      const body = await readBody(response, maxBytes, url.host)
      // A reply with one of these statuses cannot have a body.
      const { status, statusText, headers } = response
      return new Response([101, 204, 205, 304].includes(status) ? null : body, { status, statusText, headers })
    } catch (thrown) {
      if (thrown instanceof StudioError) throw thrown
      // From the name lookup of `awayFetch`.
      if (thrown instanceof Error && thrown.cause instanceof StudioError) throw thrown.cause
      if (signal?.aborted) throw new StudioError('cancelled', 'The sign-in was cancelled.')
      if (late.aborted) throw new StudioError('connect_timeout', `${url.host} did not answer in time.`)
      throw new StudioError('connect_failed', `${url.host} cannot be reached.`, {}, { cause: thrown })
    }
  }
}

async function readBody(response: Response, maxBytes: number, host: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  // The body of `undici` is typed as Node's stream, and that of the platform as the web's.
  const body = response.body as AsyncIterable<Uint8Array> | null
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new StudioError('malformed_reply', `${host} sent more than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
