// Memory per open stream: the difference after a garbage collection with 900 more open streams. Resident memory also includes the garbage
// between two collections.
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { openInspector } from '../soak/inside.mjs'
import { freePort, startBare, startStudio } from './peers.mjs'
import { residentBytes } from './processes.mjs'
import { jsonHeaders, pause, streamBody } from './traffic.mjs'

const orders = { 'x-bench-id': 'live', 'x-bench-stream': '1', 'x-bench-chunks': '100000', 'x-bench-every-ms': '1000' }

function openStreams(peer, count) {
  const open = async () => {
    const headers = jsonHeaders(peer, { 'content-length': String(streamBody.length), ...orders })
    const request = httpRequest(`${peer.url}/chat/completions`, { method: 'POST', agent: false, headers })
    request.end(streamBody)
    const [response] = await once(request, 'response')
    // The `destroy` below ends this request with an error.
    request.on('error', () => undefined)
    response.on('error', () => undefined).resume()
    return request
  }
  return Promise.all(Array.from({ length: count }, open))
}

/** @returns bytes by stream: after a collection, and resident while each gets a chunk a second */
async function ofStream(start, far) {
  const port = await freePort()
  const peer = await start(far, [`--inspect=127.0.0.1:${port}`])
  const inside = await openInspector(port)
  const first = await openStreams(peer, 50)
  await pause(1200)
  const [live, resident] = [await inside.live(), residentBytes([peer.pid])]
  const more = await openStreams(peer, 900)
  await pause(2400)
  const grew = { live: (await inside.live()) - live, resident: residentBytes([peer.pid]) - resident }
  for (const request of [...first, ...more]) request.destroy()
  inside.close()
  await peer.stop()
  return { live: grew.live / 900, resident: grew.resident / 900 }
}

export async function memoryPart(far) {
  return {
    bare: await ofStream(startBare, far),
    studio: await ofStream((from, nodeArgs) => startStudio(from, [], nodeArgs), far),
  }
}
