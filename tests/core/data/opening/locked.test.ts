import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCore } from '../../../../src-main/core/core.ts'
import { onFolder } from '../../../../src-main/core/data/opening/openFolder.ts'
import { lockFolder } from '../../../../src-main/core/store/lock.ts'
import type { DatabaseName, Opening } from '../../../../src-preload/contract/data.ts'
import { firstCases } from '../../../helpers/effort.ts'
import { testHost } from '../../helpers/core.ts'
import { filledFolder } from '../fill.ts'

/**
 * Locks a database against writing by other connections, and on request also against reading. Returns a function that releases the lock.
 */
function lockDatabase(file: string, alsoReading: boolean): () => void {
  const handle = new DatabaseSync(file)
  if (alsoReading) handle.exec('PRAGMA locking_mode = EXCLUSIVE')
  handle.exec('BEGIN IMMEDIATE')
  const release = (): void => {
    if (handle.isOpen) handle.close()
  }
  onTestFinished(release)
  return release
}

const names: DatabaseName[] = ['studio', 'ledger', 'bodies', 'account']

describe.each(names)('a start while another program has locked %s.sqlite', (name) => {
  it.each(
    firstCases(2, [
      ['for writing', false],
      ['for writing and reading', true],
    ]),
  )('%s reports that it waits, and starts by itself when the lock ends', async (_, alsoReading) => {
    const dataDir = filledFolder()
    const release = lockDatabase(join(dataDir, `${name}.sqlite`), alsoReading)
    const stages: Opening[] = []
    const { host, lines } = testHost(dataDir)
    const core = await createCore(host, {
      proxyPort: null,
      opening: (work) => {
        // The lock lasts for several attempts.
        if (stages.push(work) === 3) release()
      },
    })
    onTestFinished(() => core.stop())
    // A lock against writing alone can go unnoticed, because not every database is written at the start.
    if (alsoReading || stages.length > 0) {
      expect(stages).toEqual(Array(3).fill({ stage: 'waiting', database: name, rows: null }))
      expect(lines.filter((line) => line.includes('locked'))).toEqual([
        `warn Another program has locked ${name}.sqlite. Waiting until it is free.`,
      ])
    }
    release()
  })
})

it('a start that waits for a lock can be cancelled, and leaves the folder free', async () => {
  const dataDir = filledFolder()
  lockDatabase(join(dataDir, 'studio.sqlite'), true)
  const end = new AbortController()
  const starting = createCore(testHost(dataDir).host, {
    proxyPort: null,
    signal: end.signal,
    opening: () => end.abort(),
  })
  await expect(starting).rejects.toMatchObject({ kind: 'cancelled' })
  lockFolder(dataDir).release()
})

it('a command that shows no progress says that it waits, and gives up with the reason', { tags: 'long' }, async () => {
  const dataDir = filledFolder()
  lockDatabase(join(dataDir, 'ledger.sqlite'), true)
  const lines: string[] = []
  const opened = onFolder({ dataDir, log: (_, line) => lines.push(line) }, () => undefined)
  await expect(opened).rejects.toMatchObject({
    kind: 'database_locked',
    message: `${join(dataDir, 'ledger.sqlite')} is locked by another process.`,
  })
  expect(lines).toEqual(['Another program has locked ledger.sqlite. Waiting until it is free.'])
})
