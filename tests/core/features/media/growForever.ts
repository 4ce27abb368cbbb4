import { flushCompileCache } from 'node:module'
import { createMedia } from '../../../../src-main/core/features/media/media.ts'
import { createTransfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import { patternOf } from './rows.ts'

// Appends to one growing file and prints its length after each piece, until it is killed.
const [, , dataDir = '', id = ''] = process.argv
const media = createMedia({ dataDir, store: openStore(dataDir), uploads: createTransfers({ dataDir }).uploads })
const file = await media.growing.grow(id)
const whole = patternOf(8_000_000)
// Stores Node's compile cache before the kill. The next process starts in half the time.
flushCompileCache()
for (let at = 0; ; at += 997) {
  const bytes = await file.append(whole.subarray(at, at + 997), at)
  process.stdout.write(`${bytes}\n`)
}
