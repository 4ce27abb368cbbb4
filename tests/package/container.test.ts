import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../resources/scripts/ready.mjs'
import { ask } from '../helpers/appRequest.ts'
import { testCommandLine } from '../hosts/node/fixtures/testCommandLine.ts'

const dockerfile = readFileSync(join(root, 'resources/package/Dockerfile'), 'utf8').replaceAll('\\\n', ' ')
const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
/** The list of words of an instruction. */
const listOf = (instruction: string): string[] =>
  JSON.parse(new RegExp(`^(?:${instruction})[^[]*(\\[.*\\])$`, 'm').exec(last)?.[1] ?? '[]') as string[]
const guide = readFileSync(join(root, 'docs/guide/server.md'), 'utf8')
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text)

describe('the container', () => {
  const test = testCommandLine()

  it('runs as a user without rights, and has its data and keys in the volume', () => {
    expect(last).toMatch(/^USER node$/m)
    const volume = /^VOLUME (.*)$/m.exec(last)?.[1] ?? ''
    for (const name of ['INFERENCE_STUDIO_DATA_DIR', 'INFERENCE_STUDIO_KEY_FILE'])
      expect(new RegExp(`${name}=(\\S+)`).exec(last)?.[1]).toMatch(new RegExp(`^${volume}/`))
  })

  it('starts as its command says, is found healthy by its check, and not once it has ended', async () => {
    const [command = '', ...args] = listOf('CMD')
    const given = [...args, '--api-port', '0', '--sandbox', '--json', '--data-dir', test.dataDir]
    const serve = test.start([command, ...given], { INFERENCE_STUDIO_KEY_FILE: join(test.home, 'keys.json') })
    const { proxy } = JSON.parse(await serve.line()) as { proxy: { baseUrl: string } }
    const [, ...check] = listOf('HEALTHCHECK').map((word) => word.replace(':8787', `:${new URL(proxy.baseUrl).port}`))
    expect(check.join(' ')).toContain('/healthz')
    await promisify(execFile)(process.execPath, check)
    serve.child.kill('SIGTERM')
    expect((await serve.ended).code).toBe(0)
    await expect(promisify(execFile)(process.execPath, check)).rejects.toMatchObject({ code: 1 })
  })

  it('the compose file of the guide lets a program in that can reach nothing else', async () => {
    const [text = ''] = blocks('yaml')
    const { services, networks } = parse(text) as {
      services: { studio: { command: string[]; read_only: boolean; networks: string[] }; agent: { networks: string[] } }
      networks: Record<string, { internal?: boolean }>
    }
    expect(services.studio.read_only).toBe(true)
    expect(services.agent.networks.map((name) => networks[name]?.internal)).toEqual([true])
    const args = [...services.studio.command, '--api-port', '0', '--sandbox', '--json', '--data-dir', test.dataDir]
    const serve = test.start(args, { INFERENCE_STUDIO_KEY_FILE: join(test.home, 'keys.json') })
    const { proxy } = JSON.parse(await serve.line()) as { proxy: { baseUrl: string } }
    const { port } = new URL(proxy.baseUrl)
    const status = async (host: string): Promise<number> =>
      (await ask(`http://127.0.0.1:${port}/healthz`, { headers: { host } })).status
    expect([await status(`studio:${port}`), await status('evil.example')]).toEqual([200, 421])
    serve.child.kill('SIGTERM')
    const { stderr } = await serve.ended
    const warnings = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; message: string })
    expect(warnings.filter(({ message }) => message.includes('without encryption'))).toHaveLength(1)
  })
})
