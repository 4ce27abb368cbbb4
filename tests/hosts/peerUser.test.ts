import { connect, createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenForRedirect } from '../../src-main/core/features/tools/mcp/oauth/redirectListener.ts'
import { onUnexpected } from '../../src-main/core/shared/unexpected.ts'
import { isFromOtherUser } from '../../src-main/listener/peerUser.ts'
import { createWords } from '../../src-renderer/i18n/host.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { asOtherUser, canBeOtherUser } from '../helpers/otherUser.ts'
import { postCode, startSite } from './node/fixtures/web.ts'

/** A server on loopback that asks who connected. */
async function asking(): Promise<{ port: number; next: Promise<boolean> }> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => resolve(isFromOtherUser(socket).finally(() => socket.destroy())))
  })
  const { url } = await listenOnLoopback(server)
  onTestFinished(() => void server.close())
  return { port: Number(new URL(url).port), next: promise }
}

describe('the user of a connection', () => {
  it('is this user for a connection of this process', async () => {
    const { port, next } = await asking()
    const socket = connect(port, '127.0.0.1', () => socket.write('x'))
    onTestFinished(() => void socket.destroy())
    expect(await next).toBe(false)
  })

  it.runIf(canBeOtherUser)(
    'is another one for a program of another user, also over a socket of both families',
    async () => {
      for (const address of ['127.0.0.1', '::ffff:127.0.0.1']) {
        const { port, next } = await asking()
        const other = asOtherUser(`import { connect } from 'node:net'; connect(${port}, '${address}').write('x')`)
        onTestFinished(other.end)
        expect(await next).toBe(true)
      }
    },
  )
})

describe.runIf(canBeOtherUser)('another user of the computer, who can read every command line', () => {
  /** Status of a request by the other user. */
  const status = async (address: string, init: object): Promise<number> =>
    Number(await asOtherUser(`console.log((await fetch('${address}', ${JSON.stringify(init)})).status)`).output)

  it('cannot use the code of an address that was opened, and does not use it up', async () => {
    const site = await startSite()
    onTestFinished(() => site.stop())
    const { origin, hash } = new URL(site.server.urlToOpen())
    const code = hash.slice('#code='.length)
    const headers = { 'content-type': 'application/json', origin }
    expect(await status(`${origin}/session`, { method: 'POST', headers, body: JSON.stringify({ code }) })).toBe(403)
    expect(site.logged).toEqual([expect.stringContaining('another user')])
    // Anybody can send any text. That is refused as always, and fills no log.
    expect(await status(`${origin}/session`, { method: 'POST', headers, body: '{"code":"x"}' })).toBe(403)
    expect(site.logged).toHaveLength(1)
    expect((await postCode(site, code)).status).toBe(204)
  })

  it('cannot answer a sign-in in place of the browser, although the state is in a command line', async () => {
    const listener = await listenForRedirect('state', 0, createWords())
    onTestFinished(listener.close)
    const lines: string[] = []
    onTestFinished(onUnexpected((line) => void lines.push(line)))
    for (const code of ['theirs', 'again']) {
      const script = `const reply = await fetch('${listener.url}?state=state&code=${code}'); console.log(reply.status, await reply.text())`
      expect(await asOtherUser(script).output).toMatch(/^403 .*another user .* Copy the address of this page/s)
    }
    expect(lines).toEqual([expect.stringContaining('browser of another user')])
    expect((await fetch(`${listener.url}?state=state&code=ours`)).status).toBe(200)
    expect(await listener.response).toMatchObject({ code: 'ours' })
  })
})
