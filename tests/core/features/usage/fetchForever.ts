import { reportedByKeys, reportedByUsage } from '../../../../src-main/core/features/usage/parseReplies.ts'
import { openAccountStore } from '../../../../src-main/core/store/account/open.ts'
import { keyRecord } from '../../../../src-main/core/upstream/reply/schemas.ts'
import { accountB, reportAt, stepMs } from './reportAt.ts'

// Writes one reply after another, each a step of time later, and prints each written step. Continues from the stored state.
const [dataDir = ''] = process.argv.slice(2)
const accountStore = openAccountStore(dataDir)
const { no } = accountStore.accounts.get('b') ?? accountStore.accounts.add(accountB)
let step = Math.round((accountStore.fetches.lastAt(no, 'usage') ?? 0) / stepMs) + 1
for (;;) {
  const at = step * stepMs
  const asked = { askedAt: at, answeredAt: at }
  accountStore.transaction(() => {
    accountStore.saveReply(no, reportedByUsage(asked, reportAt(step)))
    accountStore.saveReply(
      no,
      reportedByKeys(asked, { api_keys: [keyRecord.parse({ id: 'k', name: `step ${step}` })] }),
    )
  })
  process.stdout.write(`${step}\n`)
  step += 1
}
