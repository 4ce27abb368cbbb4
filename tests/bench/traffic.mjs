// Byte patterns and a clock that the far end and the client of a measurement share.

/** Milliseconds of the machine's monotonic clock: the same in every process, unlike `performance.now()`. */
export const clock = () => Number(process.hrtime.bigint()) / 1e6

/** The `at`-th event of stream `id`, with unique bytes, so that a lost, doubled or swapped one is noticed. */
export const frame = (id, at) =>
  `data: {"id":"chatcmpl-${id}","object":"chat.completion.chunk","created":1760000000,"model":"m","choices":[{"index":0,"delta":{"content":"word ${at} "}}]}\n\n`
export const endOfStream =
  'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

/** All bytes of a stream with this many chunks. */
export function wholeStream(id, chunks) {
  let text = ''
  for (let at = 0; at < chunks; at += 1) text += frame(id, at)
  return Buffer.from(text + endOfStream)
}

/** A block of a large body. Its length is no multiple of any buffer's, so that a shifted byte changes the checksum. */
export const pattern = Buffer.from(Uint8Array.from({ length: 65_521 }, (_, at) => (at * 31 + (at >> 8)) & 0xff))

/** Headers that instruct the far end. Peers that pass only known headers are configured with these. */
export const orders = [
  'x-bench-id',
  'x-bench-stream',
  'x-bench-chunks',
  'x-bench-every-ms',
  'x-bench-silent',
  'x-bench-bytes',
]

export const chatBody = JSON.stringify({
  model: 'm',
  messages: [{ role: 'user', content: 'Say something. '.repeat(40) }],
})
export const streamBody = JSON.stringify({
  model: 'm',
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: 'user', content: 'Say something. '.repeat(40) }],
})

export const jsonHeaders = (peer, more = {}) => ({
  'content-type': 'application/json',
  authorization: `Bearer ${peer.key}`,
  ...peer.headers,
  ...more,
})

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
