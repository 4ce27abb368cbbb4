import type { Readable } from 'node:stream'

/** A request for files and audio below `/transfers/`. The host has authenticated it and checked its origin. */
export interface BytesRequest {
  method: string
  /** Not decoded, because ids need no escaping. */
  path: string
  query: URLSearchParams
  contentType: string | null
  /** Announced size of the body, bytes; null when the client did not announce it. */
  contentLength: number | null
  body: Readable
}

export interface BytesReply {
  status: number
  headers: Record<string, string>
  /** Null for a reply without a body. The host must read it to its end or destroy it. */
  body: Readable | null
}

/** Answers a request. Never rejects: failures are a `Problem` as JSON. */
export type BytesHandler = (request: BytesRequest) => Promise<BytesReply>
