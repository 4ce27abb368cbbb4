import { flushCompileCache } from 'node:module'
import { createMedia } from '../../../../src-main/core/features/media/media.ts'
import { createTransfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import { uploadFile } from '../../helpers/transfers.ts'
import { png } from './pictures.ts'

// Adds images to the folder of its argument and prints a line for each, until it is killed.
const dataDir = process.argv[2] ?? ''
const { uploads } = createTransfers({ dataDir })
const media = createMedia({ dataDir, store: openStore(dataDir), uploads })
// Stores Node's compile cache before the kill. The next process starts in half the time.
flushCompileCache()
for (let seed = 0; ; seed++) {
  const bytes = png(64, 64, seed)
  await media.addImage({ uploadId: await uploadFile({ uploads }, `${seed}.png`, bytes) })
  process.stdout.write('kept\n')
}
