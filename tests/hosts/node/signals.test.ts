import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listenOn } from '../../../src-main/hosts/node/listen.ts'
import { onlyLong } from '../../helpers/effort.ts'
import { documents } from './fixtures/process.ts'
import { testCommandLine } from './fixtures/testCommandLine.ts'

// End signals in every phase of a command: nothing is lost, every row of the request log is settled, and the exit code names the signal.

const cli = testCommandLine({ INFERENCE_STUDIO_API_KEY: 'sk-of-the-signals' })
const signals = [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const

/** A service that stops in the middle of one kind of reply. */
let service: Server
let baseUrl: string
type Phase = 'models' | 'first byte' | 'text'
let hangsAt: Phase = 'models'
/** Settles when the service has got as far as it goes. */
let reached = Promise.withResolvers<void>()
const held = new Set<ServerResponse>()

beforeAll(async () => {
  service = createServer((request, reply) => {
    request.resume()
    held.add(reply)
    reply.once('close', () => held.delete(reply))
    const path = new URL(request.url ?? '', 'http://localhost').pathname
    if (path.endsWith('/models')) {
      if (hangsAt === 'models') return reached.resolve()
      reply.setHeader('Content-Type', 'application/json')
      reply.end(
        JSON.stringify({ object: 'list', data: [{ id: 'slow', object: 'model', created: 0, owned_by: 'test' }] }),
      )
    } else if (path.endsWith('/chat/completions')) {
      if (hangsAt === 'first byte') return reached.resolve()
      reply.writeHead(200, { 'Content-Type': 'text/event-stream' })
      reply.write(
        `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content: 'Half a reply' } }] })}\n\n`,
      )
      reached.resolve()
    } else if (path.endsWith('/audio/transcriptions')) return reached.resolve()
    // Requests about the account stay without a reply.
  })
  baseUrl = `http://127.0.0.1:${await listenOn(service, 0, false)}/v1`
})
afterAll(() => {
  service.closeAllConnections()
  service.close()
})
beforeEach(() => {
  reached = Promise.withResolvers()
})

async function statesOf(dataDir: string): Promise<unknown[]> {
  const { stdout, stderr } = await cli.run(['requests', '--json', '--data-dir', dataDir])
  expect(stderr).toBe('')
  return documents(stdout).map((row) => (row as { state: string }).state)
}

const phases: [Phase][] = [['text'], ...onlyLong<[Phase]>(['models'], ['first byte'])]

describe.each(phases)('a chat that waits for the %s', (phase) => {
  it.each(signals)('%s ends it with %i, settles its requests and keeps the text so far', async (signal, code) => {
    hangsAt = phase
    const chat = cli.start(['chat', 'Hello', '--base-url', baseUrl, '--data-dir', cli.dataDir])
    const printed = phase === 'text' ? once(chat.child.stdout, 'data') : null
    await Promise.all([reached.promise, printed])
    chat.child.kill(signal)
    const ended = await chat.ended
    expect(ended.code).toBe(code)
    expect(ended.stdout.trim()).toBe(phase === 'text' ? 'Half a reply' : '')
    expect(ended.stderr).toMatch(phase === 'models' ? /Cancelled\.\n$/ : /^error: The reply was stopped\.\n$/)
    expect(await statesOf(cli.dataDir)).not.toContainEqual(
      expect.stringMatching(/sent|waiting|unknown|streaming|backing_off/),
    )
  })
})

it.each(signals.slice(-1))(
  '%s ends a transcription of standard input with %i, settles its request and deletes the copy',
  async (signal, code) => {
    const args = ['transcribe', '-', '--base-url', baseUrl, '--data-dir', cli.dataDir]
    const command = cli.start(args, {}, 'RIFF')
    await reached.promise
    command.child.kill(signal)
    expect(await command.ended).toMatchObject({ code, stderr: expect.stringMatching(/Cancelled\.\n$/) })
    expect(await statesOf(cli.dataDir)).toContain('cancelled')
    expect(await statesOf(cli.dataDir)).not.toContainEqual(expect.stringMatching(/sent|waiting|unknown|streaming/))
    expect(readdirSync(cli.home).filter((name) => name.endsWith('.part'))).toEqual([])
  },
)

it('a chat that was killed is one warning of the next command that writes', { tags: 'long' }, async () => {
  hangsAt = 'text'
  const chat = cli.start(['chat', 'Hello', '--base-url', baseUrl, '--data-dir', cli.dataDir])
  await Promise.all([reached.promise, once(chat.child.stdout, 'data')])
  chat.child.kill('SIGKILL')
  await chat.ended
  const next = ['sync', cli.home, '--data-dir', cli.dataDir]
  const cut = /^warn: Cut off when the program last ended, and marked: 1 reply, \d requests?\.\n$/
  expect((await cli.run(next)).stderr).toMatch(cut)
  expect((await cli.run(next)).stderr).toBe('')
})

it('a chat that the service refuses leaves no request under way', async () => {
  const closed = createServer()
  const port = await listenOn(closed, 0, false)
  closed.close()
  const args = ['chat', 'Hello', '--base-url', `http://127.0.0.1:${port}/v1`, '--data-dir', cli.dataDir]
  expect(await cli.run(args)).toMatchObject({ code: 1, stderr: expect.stringContaining('could not be reached') })
  expect(await statesOf(cli.dataDir)).not.toContainEqual(expect.stringMatching(/sent|waiting|unknown|backing_off/))
  // The next run has nothing to repair.
  expect((await cli.run(args)).stderr).not.toContain('Cut off')
}, 60_000)

it.each(signals)('%s ends serve well, and the same signal from two senders at once is one request', async (signal) => {
  const serving = cli.start([
    'serve',
    '--json',
    '--sandbox',
    '--web-port',
    '0',
    '--api-port',
    '0',
    '--data-dir',
    cli.dataDir,
  ])
  await serving.line()
  // As a terminal does, which reaches this process and its parent, which passes it on.
  serving.child.kill(signal)
  serving.child.kill(signal)
  expect(await serving.ended).toMatchObject({ code: 0, stderr: '' })
  expect(await statesOf(cli.dataDir)).not.toContainEqual(expect.stringMatching(/sent|waiting|unknown/))
})
