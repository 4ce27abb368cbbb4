import { flushCompileCache } from 'node:module'
import { createMedia } from '../../../../src-main/core/features/media/media.ts'
import { createTransfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import { png } from './pictures.ts'

// Adds one picture after another to the folder of its argument, a line on standard output for each, until it is killed.
const dataDir = process.argv[2] ?? ''
const { uploads } = createTransfers({ dataDir })
const media = createMedia({ dataDir, store: openStore(dataDir), uploads })
// It is killed before it could keep what Node has compiled, as a program does that ends; the next one starts in half the time.
flushCompileCache()
for (let seed = 0; ; seed++) {
  const bytes = png(64, 64, seed)
  const { uploadId } = await uploads.begin({ name: `${seed}.png`, bytes: bytes.length })
  await uploads.part({ uploadId, at: 0, data: bytes.toString('base64') })
  await media.addImage({ uploadId })
  process.stdout.write('kept\n')
}
