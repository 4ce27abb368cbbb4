import { flushCompileCache } from 'node:module'
import { createImages } from '../../../../src-main/core/features/images/images.ts'
import { createMedia } from '../../../../src-main/core/features/media/media.ts'
import { createTransfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import { parseBaseAddress } from '../../../../src-main/core/upstream/address.ts'
import { openUpstream } from '../../../../src-main/core/upstream/client.ts'
import { Credential } from '../../../../src-main/core/upstream/credential.ts'

// Requests four images and prints the id of each stored one, until it is killed.
const [, , dataDir = '', url = ''] = process.argv
const store = openStore(dataDir)
const transfers = createTransfers({ dataDir })
const upstream = openUpstream({
  base: parseBaseAddress(url, { allowInsecure: false }),
  credential: Credential.fromText('sk-test-of-enough-length'),
})
const images = createImages({
  store,
  upstream: async () => upstream,
  media: createMedia({ dataDir, store, uploads: transfers.uploads }),
  costOf: () => ({ cost: null, costIs: 'unknown' }),
  tempDir: transfers.folder,
  uploads: transfers.uploads,
  downloads: transfers.downloads,
  zip: () => {
    throw new Error('Nothing is saved here.')
  },
  log: (line) => process.stderr.write(`${line}\n`),
})
const watching = images.watch()
await images.make({ prompt: 'four', n: 4, model: null, size: null, responseFormat: null, fromImageId: null })
// Stores Node's compile cache before the kill. The next process starts in half the time.
flushCompileCache()
for await (const change of watching) if (change.type === 'image') process.stdout.write(`${change.image.id}\n`)
