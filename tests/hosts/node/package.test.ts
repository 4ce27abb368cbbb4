import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildIfNeeded, root } from '../../../resources/scripts/ready.mjs'
import { temporaryFolder } from '../../helpers/folders.ts'
import { commandLine, type Running } from './fixtures/process.ts'

// Runs the package that `npm pack` would publish from an unpacked folder, with only the packages that an installation includes.

let folder: string
let files: string[]
let studio: ReturnType<typeof commandLine>
const running: Running[] = []

beforeAll(() => {
  buildIfNeeded()
  folder = temporaryFolder('studio-package-')
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [packed] = JSON.parse(
    execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  files = packed.files.map(({ path }: { path: string }) => path)
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', folder])
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'package', 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
  studio = commandLine(join(folder, 'package', 'resources', 'scripts', 'inference-studio.mjs'), { HOME: folder })
})
afterAll(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGKILL')
    await ended
  }
  rmSync(folder, { recursive: true, force: true })
})

describe('the package', () => {
  it('the package contains the build, the page, the resources and the licence, and no development files', () => {
    const wanted = [
      'package.json',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'out/main/node.js',
      'out/main/electron.js',
      'out/preload/preload.cjs',
      'out/renderer/index.html',
      'resources/scripts/inference-studio.mjs',
    ]
    for (const file of wanted) expect(files).toContain(file)
    expect(files.filter((file) => /^(tests|src-|node_modules|\.|test-results)/.test(file))).toEqual([])
  })

  it('the package runs help, version and apps', async () => {
    const help = await studio.run(['--help'])
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('serve')])
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect((await studio.run(['--version'])).stdout.trim()).toBe(version)
    const added = await studio.run(['apps', 'add', 'editor', '--json', '--data-dir', join(folder, 'data')])
    expect([added.code, JSON.parse(added.stdout)]).toMatchObject([0, { name: 'editor', key: expect.any(String) }])
  })

  it('the package serves the built page, the local API and a sandbox with speech', async () => {
    const args = ['--sandbox', '--web-port', '0', '--api-port', '0', '--data-dir', join(folder, 'served')]
    const host = studio.start(['serve', '--json', ...args])
    running.push(host)
    const { web, proxy, sandbox } = JSON.parse(await host.line())
    const { origin } = new URL(web.url)
    const page = await (await fetch(origin)).text()
    const script = /src="(?:\.)?(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? ''
    expect((await fetch(`${origin}${script}`)).headers.get('content-type')).toContain('text/javascript')
    expect((await fetch(`${proxy.baseUrl}/models`)).status).toBe(401)
    const spoken = await fetch(`${sandbox.baseUrl}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: await speechModel(sandbox),
        input: 'Hello',
        voice: 'alloy',
        response_format: 'mp3',
      }),
    })
    expect([spoken.status, spoken.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
    expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(1000)
    host.child.kill('SIGTERM')
    expect((await host.ended).code).toBe(0)
  })
})

async function speechModel({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Promise<string> {
  const reply = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })
  const { data } = await reply.json()
  return data.map(({ id }: { id: string }) => id).find((id: string) => /speech|speak|tts/.test(id)) ?? ''
}
