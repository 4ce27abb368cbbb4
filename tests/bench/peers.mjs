// The peers of the local /v1: a direct connection, nginx, the smallest relay, fastify's proxy and another gateway. Those from npm are
// installed once, at exact versions, into a temporary folder. They are no dependency of the project.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { installOnce } from './peers/install.mjs'
import { cli, run, startJson, startProgram, temporaryFolder, tree } from './processes.mjs'
import { orders, pause } from './traffic.mjs'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const manifest = readFileSync(here('peers.json'), 'utf8')
/** Versions of the peers by package name. */
export const { dependencies: versions } = JSON.parse(manifest)
/** One folder for each list of versions: npm would retain a nested package that a new list no longer needs. */
const listed = createHash('sha256').update(manifest).digest('hex').slice(0, 12)
export const packages = join(tmpdir(), `inference-studio-bench-peers-${listed}`)
const plainKey = 'none'

/** The service of the `dialects` suite. `pace` sets the time between the chunks of the following streams, ms. */
export async function startAgentFarEnd() {
  const { ready, stop } = await startJson(here('agent-far-end.mjs'))
  const url = `http://127.0.0.1:${ready.port}`
  const pace = async (everyMs) => (await request(`${url}/control/pace/${everyMs}`)).body.dump()
  return { url, stop, pace }
}

/** The far end, visible only to peers and controls. `maxConcurrent` is the key's limit that it reports. */
export async function startFarEnd(maxConcurrent) {
  const { ready, stop } = await startJson(here('far-end.mjs'), maxConcurrent === undefined ? [] : [`${maxConcurrent}`])
  return { url: `http://127.0.0.1:${ready.port}`, stop }
}

/** The far end's record of the request with that `x-bench-id`, or null. */
export async function seenOf(far, id) {
  const reply = await request(`${far.url}/control/${id}`)
  return reply.body.json()
}

/** Starts the studio without its page, with one app key. `appOptions` are further arguments of the command that adds the app. */
export async function startStudio(far, appOptions = [], nodeArgs = [], env = {}) {
  const dataDir = temporaryFolder()
  const started = await startJson(
    cli,
    [
      'serve',
      '--json',
      '--no-web',
      '--api-port',
      '0',
      '--base-url',
      far.url,
      '--api-key-env',
      'BENCH_KEY',
      '--data-dir',
      dataDir,
    ],
    { BENCH_KEY: 'sk-bench-0123456789abcdef', ...env },
    nodeArgs,
  )
  const app = await run(['apps', 'add', 'bench', ...appOptions, '--json', '--data-dir', dataDir])
  const { pid, stop, held } = started
  return { name: 'studio', url: started.ready.proxy.baseUrl, key: app.key, pid, stop, held }
}

export async function startBare(far, nodeArgs = []) {
  const { ready, pid, stop } = await startJson(here('peers/bare-relay.mjs'), [far.url], {}, nodeArgs)
  return { url: `http://127.0.0.1:${ready.port}/v1`, key: plainKey, pid, stop }
}

async function startReplyFrom(far) {
  const { ready, pid, stop } = await startJson(here('peers/reply-from.mjs'), [far.url, packages])
  return { url: `http://127.0.0.1:${ready.port}/v1`, key: plainKey, pid, stop }
}

/** Keeps a peer whose address can't be configured on 127.0.0.1, and prints its port. */
export const loopbackOnly = ['--import', here('peers/loopback-only.mjs')]

/** @param provider Portkey's name of the API that the far end speaks */
export async function startPortkey(far, provider = 'openai') {
  const script = join(packages, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  const { ready, pid, stop } = await startJson(script, ['--headless'], { NODE_ENV: 'production' }, loopbackOnly)
  const headers = {
    'x-portkey-provider': provider,
    'x-portkey-custom-host': `${far.url}/v1`,
    'x-portkey-forward-headers': orders.join(),
  }
  return { url: `http://127.0.0.1:${ready.port}/v1`, key: plainKey, headers, pid, stop }
}

const nginxConfig = (port, folder, far) => `
daemon off; worker_processes 1; user root; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 8192; }
http {
  access_log off; keepalive_requests 10000000; client_max_body_size 0; tcp_nodelay on;
  client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  upstream far { server ${new URL(far.url).host}; keepalive 1024; keepalive_requests 10000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://far; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_request_buffering off; proxy_read_timeout 600s;
    }
  }
}`

async function startNginx(far) {
  const folder = temporaryFolder()
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  writeFileSync(config, nginxConfig(port, folder, far))
  const { pid, stop } = startProgram('nginx', ['-c', config, '-p', folder, '-e', join(folder, 'error.log')])
  const url = `http://127.0.0.1:${port}/v1`
  for (let tries = 0; ; tries += 1) {
    const answered = await request(`${url}/models`).then(
      ({ body }) => body.dump().then(() => true),
      () => false,
    )
    if (answered) return { url, key: plainKey, pid, stop }
    if (tries === 50) throw new Error('nginx does not answer.')
    await pause(50)
  }
}

/** A free port of 127.0.0.1. */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/**
 * Installs the packages of peers.json once. Portkey's streams answer 500 with the newest server adapter in its range, so the adapter has
 * the version of Portkey's own lockfile.
 */
export const installPackages = () => installOnce(packages, manifest)

function hasNginx() {
  execFileSync('nginx', ['-v'], { stdio: 'ignore' })
}

/** Peers by name. `needs` throws when the peer is unavailable. `words` is the title of its column. */
const all = {
  direct: {
    words: 'direct',
    start: async (far) => ({ url: `${far.url}/v1`, key: plainKey, pid: null, stop: async () => undefined }),
  },
  nginx: { words: 'nginx', needs: hasNginx, start: startNginx },
  bare: { words: 'bare relay', start: (far) => startBare(far) },
  'reply-from': {
    words: `fastify reply-from ${versions['@fastify/reply-from']}`,
    needs: installPackages,
    start: startReplyFrom,
  },
  portkey: { words: `Portkey gateway ${versions['@portkey-ai/gateway']}`, needs: installPackages, start: startPortkey },
  studio: { words: 'Inference Studio', start: (far) => startStudio(far) },
}
/** Whether a program can be compared on this machine. If not, prints why. @param needs throws when something is missing */
export function isAvailable(words, needs) {
  try {
    needs?.()
    return true
  } catch (thrown) {
    console.log(`${words} is skipped: ${String(thrown.message).split('\n')[0]}`)
    return false
  }
}

export const peerNames = Object.keys(all)
/** Every comparison needs these. */
const always = new Set(['direct', 'bare', 'studio'])

/** Starts the requested peers (default: all) before one far end. Skips unavailable ones with a line. */
export async function startPeers(far, asked = []) {
  const peers = []
  for (const [name, { words, needs, start }] of Object.entries(all)) {
    if (asked.length > 0 && !asked.includes(name) && !always.has(name)) continue
    if (!isAvailable(words, needs)) continue
    const peer = await start(far)
    peers.push({ ...peer, name, words, pids: () => (peer.pid === null ? [] : tree(peer.pid)) })
  }
  return peers
}
