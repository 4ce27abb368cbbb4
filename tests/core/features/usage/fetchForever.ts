import { toldByKeys, toldByUsage } from '../../../../src-main/core/features/usage/parseReplies.ts'
import { openAccountStore } from '../../../../src-main/core/store/account/open.ts'
import { keyRecord } from '../../../../src-main/core/upstream/schemas.ts'
import { saidAt, stepMs } from './saidAt.ts'

// Writes one answer after the other, each a step of time later, and says each one that is written. Goes on from what is there.
const [dataDir = ''] = process.argv.slice(2)
const account = openAccountStore(dataDir)
const place = { kind: 'service', baseUrl: 'http://b', userId: 'u', name: 'B', usedAt: 0 } as const
const { no } = account.books.get('b') ?? account.books.add({ id: 'b', ...place })
let step = Math.round((account.fetches.lastAt(no, 'usage') ?? 0) / stepMs) + 1
for (;;) {
  const at = step * stepMs
  const asked = { askedAt: at, answeredAt: at }
  account.transaction(() => {
    account.keep(no, toldByUsage(asked, saidAt(step)))
    account.keep(no, toldByKeys(asked, { api_keys: [keyRecord.parse({ id: 'k', name: `step ${step}` })] }))
  })
  process.stdout.write(`${step}\n`)
  step += 1
}
