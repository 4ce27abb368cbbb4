import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { localSocketPath, openLocalSocket } from '../../../src-main/hosts/node/localSocket.ts'
import { download, runningStudio, upload } from '../../../src-main/hosts/node/studio.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const open = async (dataDir: string) => {
  const lines: string[] = []
  const socket = await openLocalSocket(
    dataDir,
    () => null,
    (_, line) => lines.push(line),
  )
  onTestFinished(() => socket?.close())
  return { socket, lines }
}

describe.skipIf(process.platform === 'win32')('the local socket', () => {
  it('is in the data folder, for this user only', async () => {
    const dataDir = temporaryFolder('studio-socket-')
    const { socket, lines } = await open(dataDir)
    const path = localSocketPath(dataDir) ?? expect.unreachable()
    expect([lines, dirname(path), statSync(path).mode & 0o777]).toEqual([[], dataDir, 0o600])
    // Nothing is served yet.
    expect(await runningStudio(dataDir)).toBeNull()
    await socket?.close()
    expect(existsSync(path)).toBe(false)
  })

  it('is never in a folder that others can open, where they could connect before its mode is set', async () => {
    const dataDir = join(temporaryFolder('studio-socket-'), 'data')
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o755)
    const { socket, lines } = await open(dataDir)
    expect(socket).toBeNull()
    expect(lines).toEqual([
      `Commands can’t use this studio while it runs, because it has no local socket: ${dataDir} can be opened by other users. Close it with: chmod 700 ${dataDir}`,
    ])
    expect(existsSync(join(dataDir, 'studio.sock'))).toBe(false)
  })
})

describe('a running studio that starts again', () => {
  it('is named in words when it refuses a file meanwhile', async () => {
    const bytes = () => Promise.resolve({ status: 503, body: Readable.from([]) })
    const words = { kind: 'busy', message: 'The running studio is not ready. Try again in a moment.' }
    await expect(download({ bytes }, 'one')).rejects.toMatchObject(words)
    const client = { transfers: { beginUpload: () => Promise.resolve({ uploadId: 'one' }) } }
    const file = {
      stat: () => Promise.resolve({ size: 3 }),
      read: () => Promise.resolve({ bytesRead: 3 }),
    }
    const studio = { bytes, client } as unknown as Parameters<typeof upload>[0]
    await expect(upload(studio, file as unknown as Parameters<typeof upload>[1], 'a')).rejects.toMatchObject(words)
  })
})
