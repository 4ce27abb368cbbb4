// @module-tag chromium
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../helpers/folders.ts'
import { commandLine, documents, studioEntry } from '../node/fixtures/process.ts'
import { launchConnected, newDataDir, tidy } from './fixtures.ts'

// Commands of a terminal while the desktop application runs.

afterEach(tidy)

test.skipIf(process.platform === 'win32')(
  'commands use the running application: its window shows their chats, and after it has quit they run alone',
  async () => {
    const { desktop, dataDir } = await launchConnected()
    const home = temporaryFolder('studio-home-')
    const cli = commandLine(studioEntry, { HOME: home, TMPDIR: home })
    const at = ['--data-dir', dataDir]
    const chat = await cli.run(['chat', 'Sent from a terminal', '--json', ...at])
    expect([chat.code, chat.stderr]).toEqual([0, ''])
    expect(documents(chat.stdout).at(-1)).toMatchObject({ status: 'complete' })
    await desktop.page.getByRole('navigation').getByText('Sent from a terminal').first().waitFor()
    expect((await cli.run(['sync', newDataDir(), ...at])).code).toBe(0)
    expect(await cli.run(['open', ...at])).toMatchObject({ code: 1, stderr: expect.stringContaining('serves no page') })
    // Only this user can open the socket, and the folder that it is in.
    expect(statSync(dataDir).mode & 0o077).toBe(0)
    expect(statSync(join(dataDir, 'studio.sock')).mode & 0o777).toBe(0o600)
    expect(await desktop.quit()).toBe(0)
    expect(() => statSync(join(dataDir, 'studio.sock'))).toThrow(/ENOENT/)
    expect(await cli.run(['chat', 'Alone', '--sandbox', ...at])).toMatchObject({ code: 0, stderr: '' })
  },
)
