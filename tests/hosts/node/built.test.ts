import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { encode } from 'fast-png'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildIfNeeded, node24, root } from '../../../resources/scripts/ready.mjs'
import { openDataDir } from '../../../src-main/hosts/node/folder.ts'
import { startJson } from '../../bench/processes.mjs'

// Tests the build, because users run it instead of the sources, and a bundler can break code that all other tests accept.

let sandbox: { ready: { baseUrl: string; apiKey: string }; stop(): Promise<void> }

beforeAll(async () => {
  buildIfNeeded()
  sandbox = await startJson(join(root, 'out/main/node.js'), ['sandbox', '--json', '--port', '0'])
})
afterAll(() => sandbox.stop())

const post = async (path: string, body: unknown): Promise<Response> =>
  fetch(`${sandbox.ready.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.ready.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** A Node of this computer that the program refuses, or null. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
  .filter((path) => existsSync(path))
  .find((path) => {
    const [, major, minor] = /^v(\d+)\.(\d+)/.exec(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout) ?? []
    return Number(major) < 22 || (major === '22' && Number(minor) < 16) || major === '23'
  })

describe('the build', () => {
  it
    .skipIf(oldNode === undefined)
    .each([
      ['out/main/node.js', 'self-check', '--json'],
      ['out/main/node.js', 'doctor'],
      ['resources/scripts/inference-studio.mjs'],
    ])('on an older Node, %s %s says in one line which one is needed', (program, ...args) => {
    const env = { ...process.env, NODE_OPTIONS: '' }
    const { stdout, stderr, status } = spawnSync(oldNode ?? '', [join(root, program), ...args], {
      env,
      encoding: 'utf8',
    })
    expect(stderr).toMatch(/^Inference Studio needs Node 24, or 22\.16 or later of Node 22; this is v\S+\. See \S+\n$/)
    expect([stdout, status]).toEqual(['', 1])
  })

  it('every file of the build parses', { tags: 'long' }, () => {
    const main = join(root, 'out', 'main')
    const scripts = readdirSync(main, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'))
    expect(scripts.length).toBeGreaterThan(10)
    // Checks the syntax as `node --check` does, of all files in one process.
    const parse = `for (const path of process.argv.slice(1)) new vm.SourceTextModule(fs.readFileSync(path, 'utf8'), { identifier: path })`
    const args = ['--experimental-vm-modules', '--no-warnings', '--input-type=commonjs', '-e', parse]
    execFileSync(node24(), [...args, ...scripts.map((script) => join(main, script))])
  })

  it('the build generates images', { tags: 'long' }, async () => {
    const reply = await post('/v1/images/generations', { prompt: 'a cat', n: 2, response_format: 'b64_json' })
    expect(reply.status).toBe(200)
    const { data } = (await reply.json()) as { data: { b64_json: string }[] }
    expect(data.map(({ b64_json }) => Buffer.from(b64_json, 'base64').subarray(1, 4).toString())).toEqual([
      'PNG',
      'PNG',
    ])
  })

  it.each(['vision', 'mirror'])('the build passes images to the model %s', async (model) => {
    const png = encode({ width: 7, height: 5, data: new Uint8Array(7 * 5 * 3).fill(200), channels: 3 })
    const url = `data:image/png;base64,${Buffer.from(png).toString('base64')}`
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url } },
    ]
    const reply = await post('/v1/chat/completions', { model, messages: [{ role: 'user', content }] })
    expect(reply.status).toBe(200)
    expect(await reply.text()).toMatch(/7\s*(x|×|by)\s*5/)
  })

  it('the build generates speech', { tags: 'long' }, async () => {
    const reply = await post('/v1/audio/speech', { input: 'Hello.', response_format: 'wav' })
    expect(reply.status).toBe(200)
    expect(
      Buffer.from(await reply.arrayBuffer())
        .subarray(0, 4)
        .toString(),
    ).toBe('RIFF')
  })
})

describe('the data folder', () => {
  it.runIf(process.platform === 'linux')("a data folder that can't be created is reported with a message", async () => {
    await expect(openDataDir('/proc/nowhere/studio')).rejects.toMatchObject({ kind: 'bad_input' })
  })
})
