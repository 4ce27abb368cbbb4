// `node tests/bench/meter.ts`: cost of reading a reply, the best of several rounds, beside JSON.parse in the same run.
import { parseBaseAddress } from '../../src-main/core/upstream/address.ts'
import { localiseImageUrls } from '../../src-main/core/upstream/reply/imageUrls.ts'
import { Mask } from '../../src-main/core/upstream/reply/mask.ts'
import { openReply, type ReplyOptions } from '../../src-main/core/upstream/reply/replyStream.ts'
import { askForUsage, readParameters } from '../core/upstream/helpers/wholeBody.ts'

const options: ReplyOptions = {
  endpoint: 'chat',
  stream: true,
  status: 200,
  contentType: 'text/event-stream',
  mask: new Mask('sk-0123456789abcdef0123456789abcdef'),
  stripUsage: false,
}
const whole: ReplyOptions = { ...options, stream: false, contentType: 'application/json' }

function best(name: string, per: number, work: () => void, unit = 1000): void {
  for (let i = 0; i < 200; i++) work()
  let nanoseconds = Number.POSITIVE_INFINITY
  for (let round = 0; round < 12; round++) {
    let times = 0
    const start = process.hrtime.bigint()
    let spent = 0
    while (spent < 30e6) {
      work()
      times++
      spent = Number(process.hrtime.bigint() - start)
    }
    nanoseconds = Math.min(nanoseconds, spent / times / per)
  }
  console.log(
    `${name.padEnd(66)} ${unit === 1 ? `${nanoseconds.toFixed(0)} ns` : `${(nanoseconds / 1000).toFixed(2)} us`}`,
  )
}

const words = 'Ships lie quiet in the harbour while the morning comes and nobody says "hello"'.split(' ')
const head = { id: 'chatcmpl-7f3a', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'writer-small' }

function stream(delta: (i: number) => Record<string, unknown>): Buffer[] {
  const chunks = Array.from({ length: 200 }, (_, i) => ({ ...head, ...delta(i) }))
  const usage = { ...head, choices: [], usage: { prompt_tokens: 31, completion_tokens: 200, total_tokens: 231 } }
  return [...chunks.map((one) => JSON.stringify(one)), JSON.stringify(usage), '[DONE]'].map((data) =>
    Buffer.from(`data: ${data}\n\n`),
  )
}

const content = (i: number): { content: string } => ({ content: ` ${words[i % words.length]}` })
const streams: Record<string, Buffer[]> = {
  'one choice': stream((i) => ({ choices: [{ index: 0, delta: content(i) }] })),
  'two choices in turn': stream((i) => ({ choices: [{ index: i % 2, delta: content(i) }] })),
  'a second field that always differs': stream((i) => ({
    choices: [{ index: 0, delta: content(i) }],
    pad: `${i * 7919}`,
  })),
}
for (const [name, chunks] of Object.entries(streams)) {
  for (const stripUsage of [false, true]) {
    best(
      `a chunk of ${chunks[9]?.length} bytes, ${name}${stripUsage ? ', stripping' : ''}`,
      chunks.length,
      () => {
        const meter = openReply({ ...options, stripUsage })
        for (const chunk of chunks) meter.push(chunk)
        meter.end()
        meter.reading()
      },
      1,
    )
  }
}

const message = { role: 'user', content: 'some words with "quotes" and\nlines '.repeat(12) }
const bodyOf = (count: number): Buffer =>
  Buffer.from(
    JSON.stringify({ model: 'writer-small', stream: true, messages: Array.from({ length: count }, () => message) }),
  )
for (const [name, body] of [
  ['1 KB', bodyOf(2)],
  ['100 KB', bodyOf(210)],
  ['10 MB', bodyOf(21_000)],
] as const) {
  best(`JSON.parse of a ${name} body`, 1, () => JSON.parse(body.toString()))
  best(`readParameters of it`, 1, () => readParameters('chat', body))
  const known = readParameters('chat', body)
  best(`askForUsage after that`, 1, () => askForUsage(body, known))
}

const text = 'words and '.repeat(75)
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
const reply = Buffer.from(
  JSON.stringify({ ...head, choices: [{ index: 0, message: { role: 'assistant', content: text } }], usage }),
)
best(`JSON.parse of a ${reply.length} byte reply`, 1, () => JSON.parse(reply.toString()))
best('a reader opened, given it, ended and read', 1, () => {
  const meter = openReply(whole)
  meter.push(reply)
  meter.end()
  meter.reading()
})

const base = parseBaseAddress('https://api.example.com', { allowInsecure: false })
const picture = { b64_json: 'A'.repeat(4_000_000), url: 'https://api.example.com/files/x.png' }
const pictures = Buffer.from(JSON.stringify({ created: 1, data: [picture, picture] }))
best('localiseImageUrls of 8 MB', 1, () => localiseImageUrls(pictures, base, 'http://127.0.0.1:8787'))

if (globalThis.gc !== undefined) {
  const used = (): number => {
    globalThis.gc?.()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const chunks = streams['one choice'] ?? []
  const before = used()
  const meters = Array.from({ length: 1000 }, () => {
    const meter = openReply({ ...options, stripUsage: true })
    for (const chunk of chunks.slice(0, 150)) meter.push(Buffer.from(chunk))
    return meter
  })
  console.log(`memory of a stream after 150 chunks: ${Math.round((used() - before) / meters.length)} bytes`)
}
