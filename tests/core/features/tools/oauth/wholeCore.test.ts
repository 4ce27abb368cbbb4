import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeBackup } from '../../../../../src-main/core/data/backup/write.ts'
import type { McpServer } from '../../../../../src-preload/contract/tools.ts'
import { decideInBrowser, startAuthorizationServer } from '../../../../helpers/mcp/authorizationServer.ts'
import { startHttp } from '../../../../helpers/mcp/http.ts'
import { freshFolder, memorySecrets } from '../../../helpers/core.ts'
import { type Opened, open } from '../../connections/helpers.ts'

async function serverWith({ client }: Opened, good: (server: McpServer) => boolean): Promise<McpServer> {
  for await (const { servers } of await client.tools.watch()) {
    const found = servers.find(good)
    if (found) return found
  }
  throw new Error('The state was never so.')
}

const contains = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text))

test('tokens are in no file of the data folder, no backup and no report, and “Delete everything” deletes them', async () => {
  const authorization = await startAuthorizationServer()
  onTestFinished(() => authorization.close())
  const http = await startHttp('sessions', authorization.protect())
  onTestFinished(() => http.close())
  const secrets = memorySecrets()
  const first = await open({ secrets })
  const { client, dataDir } = first
  const transport = { kind: 'http' as const, url: http.url, headers: [] }
  const { id } = await client.tools.saveServer({ name: 'Notes', transport, timeoutSeconds: 20, secrets: {} })
  await client.tools.switchServer({ id, on: true })
  await serverWith(first, ({ state }) => state === 'sign_in')
  await decideInBrowser((await client.tools.signIn({ id })).url, 'allow')
  const ready = await serverWith(first, ({ state }) => state === 'ready')
  expect(ready.signIn).toMatchObject({ step: 'done', storedIn: 'keychain' })

  const [token = ''] = authorization.grants.flatMap(({ access }) => [...access])
  const refresh = authorization.grants[0]?.refresh ?? ''
  const backups = freshFolder()
  await writeBackup({ dataDir, version: '1.2.3' }, { path: join(backups, 'backup.tar') })
  const { report } = await client.app.diagnostics()
  for (const secret of [token, refresh]) {
    expect(secret.length).toBeGreaterThan(20)
    expect([...contains(dataDir, secret), ...contains(backups, secret)]).toEqual([])
    expect(report + JSON.stringify(ready)).not.toContain(secret)
  }

  await first.core.stop()
  const second = await open({ dataDir, secrets })
  await serverWith(second, ({ state }) => state === 'ready')
  await second.client.data.deleteEverything()
  await second.core.stop()
  expect(secrets.kept.size).toBeGreaterThan(0)
  await open({ dataDir, secrets })
  await expect.poll(() => secrets.kept.size).toBe(0)
})
