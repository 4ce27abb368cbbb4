import { existsSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listenOn } from '../../../src-main/hosts/node/listen.ts'
import { onlyLong } from '../../helpers/effort.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { runInProcess, unusedParts } from './fixtures/inProcess.ts'
import { cliEntry, commandLine } from './fixtures/process.ts'

const { start, run: runCli } = commandLine(cliEntry)
let folder: string
beforeAll(() => {
  folder = temporaryFolder('studio-cli-')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('usage', () => {
  it.each([
    ['nothing-of-ours'],
    ['serve', '--no-such-option'],
    ['serve', '--web-port', '70000'],
    ['serve', '--web-port', 'x'],
    ['serve', '--sandbox', '--base-url', 'http://127.0.0.1:1'],
    ['serve', '--api-key-env', 'X'],
    ['serve', '--open', '--no-web'],
    ['serve', '--web-port', '9', '--no-web'],
    ['serve', '--api-port', '9', '--no-api'],
    ['sandbox', '--exact'],
    ['sandbox', '--at-once'],
    ['serve', '--no-web', '--no-api'],
    ['serve', '--ollama', 'notes', '--no-api'],
    ['serve', '--web-port', '9', '--api-port', '9'],
    ['apps'],
    ['apps', 'add'],
    ['apps', 'add', ' '],
    ['login'],
  ])('a usage error exits with 2, a message on standard error and one JSON document: %s %s', async (...args) => {
    const { code, stdout, stderr } = await runInProcess([...args, '--json'], unusedParts)
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toEqual({ problem: { kind: 'bad_input', message: expect.stringMatching(/^[^(].{5,}/) } })
    expect((await runInProcess(args, unusedParts)).stdout).toBe('')
    expect(stderr).not.toBe('')
  })

  it('a usage error is the exit code of the process', { tags: 'long' }, async () => {
    const { code, stdout, stderr } = await runCli(['serve', '--no-such-option', '--json'])
    expect([code, JSON.parse(stdout).problem.kind, stderr]).toEqual([2, 'bad_input', expect.stringMatching(/^error: /)])
  })

  it('help exits with 0', { tags: 'long' }, async () => {
    const { code, stdout } = await runCli(['--help'])
    expect(code).toBe(0)
    for (const command of ['serve', 'sandbox', 'apps', 'chat', 'login', 'logout', 'doctor'])
      expect(stdout).toContain(command)
  })
})

describe('serve', () => {
  it.each(['SIGTERM', ...onlyLong('SIGINT')] as const)(
    'serve prints one ready line and exits cleanly on %s',
    async (signal) => {
      const dataDir = join(folder, signal)
      const running = start(['serve', '--json', '--web-port', '0', '--data-dir', dataDir])
      const ready = JSON.parse(await running.line())
      expect(ready).toEqual({
        web: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/) },
        proxy: { baseUrl: 'http://127.0.0.1:8787/v1' },
        sandbox: null,
        dataDir,
      })
      expect(statSync(dataDir).mode & 0o777).toBe(0o700)
      running.child.kill(signal)
      const { code, stdout } = await running.ended
      expect([code, stdout.trim().split('\n').length]).toEqual([0, 1])
      expect(existsSync(join(dataDir, 'stopped'))).toBe(true)
    },
  )

  it('parts that are switched off are null in the ready line', { tags: 'long' }, async () => {
    const running = start(['serve', '--json', '--no-web', '--data-dir', join(folder, 'bare')])
    expect(JSON.parse(await running.line())).toMatchObject({ web: null })
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
  })

  it('the second signal ends serve at once', { tags: 'long' }, async () => {
    const dataDir = join(folder, 'hang')
    const running = start(['serve', '--json', '--no-web', '--data-dir', dataDir], { TEST_HANG_ON_STOP: '1' })
    await running.line()
    running.child.kill('SIGTERM')
    await expect.poll(() => existsSync(join(dataDir, 'stopped'))).toBe(true)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(130)
  })

  it('a given port that is in use fails with port_taken', { tags: 'long' }, async () => {
    const taken = createServer()
    const port = await listenOn(taken, 0, false)
    const args = ['serve', '--json', '--web-port', String(port), '--data-dir', join(folder, 'taken')]
    const { code, stdout } = await runCli(args)
    taken.close()
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ problem: { kind: 'port_taken' } })
    expect(existsSync(join(folder, 'taken', 'stopped'))).toBe(true)
  })

  it("a data folder that can't be created is reported", { tags: 'long' }, async () => {
    const args = ['serve', '--json', '--web-port', '0', '--data-dir', '/dev/null/studio']
    const { code, stdout, stderr } = await runCli(args)
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { problem: { kind: 'bad_input' } }])
    expect(stderr).toContain('/dev/null/studio')
  })

  it('a missing environment variable is reported', { tags: 'long' }, async () => {
    const args = [
      'serve',
      '--base-url',
      'http://127.0.0.1:1',
      '--api-key-env',
      'NOT_SET',
      '--data-dir',
      join(folder, 'unset'),
    ]
    const { code, stdout, stderr } = await runCli(args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('NOT_SET')
  })
})

describe('apps', () => {
  it('apps add, list and revoke print one document each', { tags: 'long' }, async () => {
    const where = ['--json', '--data-dir', join(folder, 'tools')]
    const added = JSON.parse((await runCli(['apps', 'add', 'editor', ...where])).stdout)
    expect(added).toEqual({ id: expect.any(String), name: 'editor', key: expect.any(String) })
    const listed = await runCli(['apps', 'list', ...where])
    expect(JSON.parse(listed.stdout)).toMatchObject({ id: added.id, name: 'editor', revokedAt: null })
    expect(listed.stdout).not.toContain(added.key)
    const revoked = JSON.parse((await runCli(['apps', 'revoke', added.id, ...where])).stdout)
    expect(revoked).toMatchObject({ id: added.id, revokedAt: expect.any(String) })
    const unknown = await runCli(['apps', 'revoke', 'nobody', ...where])
    expect([unknown.code, JSON.parse(unknown.stdout)]).toMatchObject([1, { problem: { kind: 'no_such_item' } }])
  })
})

describe('login', () => {
  it('login fails without a key on standard input', { tags: 'long' }, async () => {
    const { code, stdout } = await runCli(['login', '--base-url', 'http://127.0.0.1:1', '--json', '--data-dir', folder])
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { problem: { kind: 'bad_input' } }])
  })
})

describe('doctor', () => {
  it('doctor prints all checks in one document, without the API key', { tags: 'long' }, async () => {
    const env = { THE_KEY: 'sk-canary-123456' }
    const args = ['doctor', '--json', '--base-url', 'http://127.0.0.1:1', '--api-key-env', 'THE_KEY']
    const { code, stdout, stderr } = await runCli([...args, '--data-dir', join(folder, 'doctor')], env)
    const report = JSON.parse(stdout)
    expect(report.checks.map((check: { name: string }) => check.name)).toEqual([
      'node',
      'keychain',
      'dataFolder',
      'webPort',
      'apiPort',
      'baseAddress',
      'key',
    ])
    // A warning is not success, unless it is ignored.
    expect([code, report.ok]).toEqual([1, false])
    const ignored = await runCli([...args, '--ignore-warnings', '--data-dir', join(folder, 'doctor')], env)
    expect([ignored.code, JSON.parse(ignored.stdout).ok]).toEqual([0, true])
    expect(stdout + stderr).not.toContain('sk-canary')
  })
})
