// Large JSON replies of the far end, made once.

const word = (at) => `{"word":"word${at}","start":${at}.25,"end":${at}.5}`
const line = 'A line with \\"quotes\\" and a path c:\\\\x.\\n'
const usage = '"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}'

/** The repeated part of a reply, and what stands around it. */
const kinds = {
  chat: [
    '{"id":"c","model":"m","choices":[{"index":0,"message":{"content":"',
    () => line,
    `"},"finish_reason":"stop"}],${usage}}`,
  ],
  image: ['{"created":1,"data":[{"b64_json":"', () => 'QUJD'.repeat(1000), '"}]}'],
  embedding: ['{"data":[{"embedding":[0', (at) => `,0.${100_000_000 + (at % 7919)}`, `]}],"model":"m",${usage}}`],
  transcript: ['{"text":"Words","words":[{}', (at) => `,${word(at)}`, ']}'],
}
const made = new Map()

/** The reply of this kind with about so many bytes. */
export function largeReply(kind, bytes) {
  const key = `${kind} ${bytes}`
  if (!made.has(key)) {
    const [start, part, end] = kinds[kind]
    const parts = [start]
    for (let at = 0, size = 0; size < bytes; at += 1) {
      const next = part(at)
      parts.push(next)
      size += next.length
    }
    made.set(key, Buffer.from(parts.join('') + end))
  }
  return made.get(key)
}
