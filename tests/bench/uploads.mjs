// Large bodies: uploads of 200 and 800 MB and a speech reply of 200 MB, generated while they are sent.
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { crc32 } from 'node:zlib'
import { megabytes } from './figures.mjs'
import { seenOf } from './peers.mjs'
import { residentBytes } from './processes.mjs'
import { clock, jsonHeaders, pattern, pause } from './traffic.mjs'

const million = 1_000_000
let lastId = 0
const nextId = () => {
  lastId += 1
  return `u${lastId}`
}

/** Runs `act` and returns its result and the peer's peak memory above `before`. */
async function watched(peer, before, act) {
  const pids = peer.pids()
  let most = 0
  const look = setInterval(() => {
    most = Math.max(most, residentBytes(pids) - before)
  }, 25)
  try {
    return { ...(await act()), grew: Math.max(most, residentBytes(pids) - before) }
  } finally {
    clearInterval(look)
  }
}

/** A multipart upload of `size` bytes. The far end reads at most `mbs` megabytes a second, or as fast as it can (0). */
async function upload(peer, far, size, mbs) {
  const id = nextId()
  const head = Buffer.from(
    '--b\r\ncontent-disposition: form-data; name="file"; filename="long.wav"\r\ncontent-type: audio/wav\r\n\r\n',
  )
  const tail = Buffer.from('\r\n--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n--b--\r\n')
  const total = head.length + size + tail.length
  const sent = httpRequest(`${peer.url}/audio/transcriptions`, {
    method: 'POST',
    agent: false,
    headers: jsonHeaders(peer, {
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': String(total),
      'x-bench-id': id,
      'x-bench-mbs': String(mbs),
    }),
  })
  const answered = once(sent, 'response')
  // Awaited below; until then it must not count as unhandled.
  answered.catch(() => undefined)
  const began = clock()
  let checksum = 0
  const write = async (block) => {
    checksum = crc32(block, checksum)
    if (!sent.write(block)) await Promise.race([once(sent, 'drain'), answered])
  }
  await write(head)
  for (let left = size; left > 0; left -= pattern.length) {
    await write(left >= pattern.length ? pattern : pattern.subarray(0, left))
  }
  const lastByteAt = clock()
  await write(tail)
  sent.end()
  const [response] = await answered
  let text = ''
  for await (const piece of response) text += piece
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
  const heard = JSON.parse(text)
  const facts = await seenOf(far, id)
  return {
    whole: heard.bytes === total && heard.checksum === checksum,
    early: facts.firstByteAt < lastByteAt,
    seconds: (clock() - began) / 1000,
  }
}

function askToSpeak(peer, size) {
  const id = nextId()
  const body = JSON.stringify({ model: 'tts-1', input: 'A long reading.', response_format: 'pcm' })
  const sent = httpRequest(`${peer.url}/audio/speech`, {
    method: 'POST',
    agent: false,
    headers: jsonHeaders(peer, {
      'content-length': String(body.length),
      'x-bench-id': id,
      'x-bench-bytes': String(size),
    }),
  })
  sent.end(body)
  return { id, sent }
}

/** A speech reply, read at most at `mbs` megabytes a second, or as fast as it arrives (0). */
async function speech(peer, size, mbs) {
  const { sent } = askToSpeak(peer, size)
  const [response] = await once(sent, 'response')
  const began = clock()
  let [bytes, checksum] = [0, 0]
  for await (const piece of response) {
    bytes += piece.length
    checksum = crc32(piece, checksum)
    const aheadMs = mbs === 0 ? 0 : bytes / (mbs * 1000) - (clock() - began)
    if (aheadMs > 5) await pause(aheadMs)
  }
  return { whole: bytes === size && checksum === checksumOf(size), seconds: (clock() - began) / 1000 }
}

const checksums = new Map()
function checksumOf(size) {
  if (!checksums.has(size)) {
    let checksum = 0
    for (let left = size; left > 0; left -= pattern.length) checksum = crc32(pattern.subarray(0, left), checksum)
    checksums.set(size, checksum)
  }
  return checksums.get(size)
}

/** A client that stops reading after the first bytes. Returns how many more bytes the far end could send before it was blocked. */
async function stalled(peer, far, size) {
  const { id, sent } = askToSpeak(peer, size)
  const [response] = await once(sent, 'response')
  const [first] = await once(response, 'data')
  response.pause()
  let written = 0
  // Three samples in a row without growth.
  for (let same = 0; same < 3; ) {
    await pause(150)
    const now = (await seenOf(far, id)).written
    same = now === written ? same + 1 : 0
    written = now
  }
  response.on('error', () => undefined)
  sent.destroy()
  return { inFlight: written - first.length }
}

/** Runs one case. If the peer fails, its error becomes the result. */
async function attempt(act) {
  try {
    return await act()
  } catch (thrown) {
    return { failed: thrown.code ?? thrown.message }
  }
}

export async function uploadsPart(peers, far, { quick }) {
  const [small, large] = quick ? [200 * million, 400 * million] : [200 * million, 800 * million]
  const figures = new Map()
  for (const peer of peers) {
    if (peer.name === 'direct') continue
    const before = residentBytes(peer.pids())
    const grown = (act) => attempt(() => watched(peer, before, act))
    figures.set(peer, {
      sizes: { small, large },
      smallUp: await grown(() => upload(peer, far, small, 0)),
      smallUpSlow: await grown(() => upload(peer, far, small, 60)),
      largeUp: await grown(() => upload(peer, far, large, 0)),
      largeUpSlow: await grown(() => upload(peer, far, large, 160)),
      down: await grown(() => speech(peer, small, 0)),
      downSlow: await grown(() => speech(peer, small, 60)),
      stalled: await grown(() => stalled(peer, far, small)),
    })
  }
  return figures
}

const growthText = (one) => one.failed ?? `${megabytes(one.grew)}${one.whole === false ? ', bytes LOST' : ''}`

export function reportUploads(report, figures) {
  const [studio, bare] = ['studio', 'bare'].map((name) => [...figures].find(([peer]) => peer.name === name)[1])
  const { small, large } = studio.sizes
  const growth = (field, words) => {
    const one = studio[field]
    const good = one.whole === true && one.grew <= 100 * million
    report(`${words}: memory`, `${growthText(one)} (bare relay ${growthText(bare[field])})`, good, '<= 100 MB, whole')
  }
  growth('smallUp', `upload of ${megabytes(small)}`)
  growth('smallUpSlow', `upload of ${megabytes(small)} to a slow far end`)
  growth('largeUp', `upload of ${megabytes(large)}`)
  growth('largeUpSlow', `upload of ${megabytes(large)} to a slow far end`)
  const apart =
    Math.max(studio.largeUp.grew, studio.largeUpSlow.grew) - Math.max(studio.smallUp.grew, studio.smallUpSlow.grew)
  report('upload: the larger one needs more by', megabytes(apart), apart <= 20 * million, '<= 20 MB')
  const early = ['smallUp', 'smallUpSlow', 'largeUp', 'largeUpSlow'].every((field) => studio[field].early === true)
  report('upload: first byte upstream before the last one sent', early ? 'yes' : 'no', early, 'yes')
  growth('down', `speech reply of ${megabytes(small)}`)
  growth('downSlow', `speech reply of ${megabytes(small)}, read slowly`)
  const { inFlight = Number.POSITIVE_INFINITY } = studio.stalled
  // The kernel's socket buffers on both connections take part of it. A bare relay has no other buffers.
  report(
    'a client that stops reading: bytes on the way',
    `${megabytes(inFlight)} (bare relay ${megabytes(bare.stalled.inFlight)})`,
    inFlight <= 20 * million,
    '<= 20 MB',
  )
}

export function uploadRows(figures) {
  const row = (words, field, cell = growthText) => [
    words,
    (peer) => (figures.has(peer) ? cell(figures.get(peer)[field]) : ''),
  ]
  const { small, large } = [...figures.values()][0].sizes
  return [
    row(`upload of ${megabytes(small)}: memory grew by`, 'smallUp'),
    row(`upload of ${megabytes(large)}: memory grew by`, 'largeUp'),
    row(`speech reply of ${megabytes(small)}: memory grew by`, 'down'),
    row('client stops reading: bytes on the way', 'stalled', (one) => one.failed ?? megabytes(one.inFlight)),
  ]
}
