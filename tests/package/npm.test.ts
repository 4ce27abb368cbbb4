// @long It installs packages from the registry.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildIfNeeded, root } from '../../resources/scripts/ready.mjs'
import { temporaryFolder } from '../helpers/folders.ts'
import { commandLine, type Running } from '../hosts/node/fixtures/process.ts'
import { bundled, entries } from './contents.ts'
import { hasNode, nodeBinary } from './nodes.ts'

// Installs the package that `npm publish` would upload into empty folders, from the registry like everyone else, and runs it there.

interface Packed {
  filename: string
  files: { path: string }[]
}

let folder: string
let packed: Packed
const running: Running[] = []

/** Path of the installed command of a folder. */
const command = (name: string): string => realpathSync(join(folder, name, 'node_modules', '.bin', 'inference-studio'))

function install(name: string, args: readonly string[]): void {
  mkdirSync(join(folder, name))
  const usual = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  execFileSync('npm', [...usual, ...args, join(folder, packed.filename)], { cwd: join(folder, name), stdio: 'pipe' })
}

beforeAll(() => {
  buildIfNeeded()
  folder = temporaryFolder('studio-npm-')
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const output = execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  packed = JSON.parse(output)[0]
  install('whole', [])
  install('small', ['--omit=optional'])
})
afterAll(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGKILL')
    await ended
  }
})

/** Starts `serve` without arguments for a port, and returns its addresses. */
async function serve(entry: string, node: string, name: string) {
  const home = join(folder, `home-${name}`)
  mkdirSync(home)
  const studio = commandLine(entry, { HOME: home }, node)
  const args = ['--sandbox', '--json', '--web-port', '0', '--api-port', '0', '--data-dir', join(home, 'data')]
  const host = studio.start(['serve', ...args])
  running.push(host)
  const { web, proxy, sandbox } = JSON.parse(await host.line())
  const post = (path: string, body: unknown): Promise<Response> =>
    fetch(`${sandbox.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sandbox.apiKey}`,
        ...(!(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
    })
  const stop = async (): Promise<number | null> => {
    host.child.kill('SIGTERM')
    return (await host.ended).code
  }
  return { origin: new URL(web.url).origin, proxy, post, stop }
}

const recording = (): FormData => {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(48_000)]), 'silence.pcm')
  return form
}

describe('the npm package', () => {
  it('contains exactly the build, the command and the documents', () => {
    const scripts = ['resources/scripts/inference-studio.mjs', 'resources/scripts/refuseOldNode.mjs']
    const documents = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', ...scripts]
    const single = [...entries, ...documents].toSorted()
    const paths = packed.files.map(({ path }) => path)
    expect(paths.filter((path) => !bundled.test(path)).toSorted()).toEqual(single)
    expect(paths.filter((path) => bundled.test(path)).length).toBeGreaterThan(100)
  })

  it('"npx inference-studio" alone serves the page from an empty folder', async () => {
    const home = join(folder, 'home-npx')
    const empty = join(home, 'empty')
    mkdirSync(empty, { recursive: true })
    const studio = commandLine(command('whole'), { HOME: home })
    const host = studio.start([], {}, '', empty)
    running.push(host)
    let url: string | undefined
    while (url === undefined) url = /http:\/\/127\.0\.0\.1:\d+/.exec(await host.line())?.[0]
    expect(await (await fetch(url)).text()).toContain('<div id="root"')
    host.child.kill('SIGTERM')
    expect((await host.ended).code).toBe(0)
    expect(existsSync(join(home, '.local', 'share', 'inference-studio')), 'the data folder is the usual one').toBe(true)
  })

  it('prints its version, and adds an app', async () => {
    const studio = commandLine(command('whole'), { HOME: folder })
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect((await studio.run(['--version'])).stdout.trim()).toBe(version)
    const added = await studio.run(['apps', 'add', 'editor', '--json', '--data-dir', join(folder, 'data')])
    expect([added.code, JSON.parse(added.stdout)]).toMatchObject([0, { name: 'editor', key: expect.any(String) }])
  })

  const nodes: [string, () => string, boolean][] = [
    ['Node 24', () => process.execPath, true],
    ['the oldest supported Node 22', () => nodeBinary('lowest'), hasNode('lowest')],
  ]
  for (const [name, node, isHere] of nodes) {
    it.skipIf(!isHere)(`on ${name}, it serves the page, the local API and a sandbox that speaks`, async () => {
      const { origin, proxy, post, stop } = await serve(command('whole'), node(), name.replaceAll(' ', '-'))
      const page = await (await fetch(origin)).text()
      const script = /src="(?:\.)?(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? ''
      expect((await fetch(`${origin}${script}`)).headers.get('content-type')).toContain('text/javascript')
      expect((await fetch(`${proxy.baseUrl}/models`)).status).toBe(401)
      const spoken = await post('/v1/audio/speech', { input: 'Hello', response_format: 'mp3' })
      expect([spoken.status, spoken.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
      expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(1000)
      expect((await post('/v1/audio/transcriptions', recording())).status).toBe(200)
      expect(await stop()).toBe(0)
    })
  }

  it('without the optional packages, the sandbox says what it needs to speak and transcribe, and does the rest', {
    tags: 'long',
  }, async () => {
    expect(existsSync(join(folder, 'small', 'node_modules', 'mediabunny'))).toBe(false)
    const { post, stop } = await serve(command('small'), process.execPath, 'small')
    const spoken = await post('/v1/audio/speech', { input: 'Hello' })
    expect([spoken.status, (await spoken.json()).error]).toEqual([
      501,
      {
        code: 'not_installed',
        type: 'not_implemented_error',
        message: expect.stringMatching(
          /^This sandbox cannot speak, because the optional package @?[\w/-]+ is not installed\. .*npm install --include=optional/,
        ),
      },
    ])
    const heard = await post('/v1/audio/transcriptions', recording())
    expect([heard.status, (await heard.json()).error.message]).toEqual([
      501,
      expect.stringContaining('cannot transcribe, because the optional package'),
    ])
    const said = await post('/v1/chat/completions', {
      model: 'writer-small',
      messages: [{ role: 'user', content: 'Hi' }],
    })
    expect(said.status).toBe(200)
    const drawn = await post('/v1/images/generations', { prompt: 'A lighthouse' })
    expect(drawn.status).toBe(200)
    expect(await stop()).toBe(0)
  })
})
