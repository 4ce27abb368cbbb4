import { flushCompileCache } from 'node:module'
import { openClient } from '../../../helpers/openClient.ts'
import { createStoredImages } from '../../helpers/imagesFeature.ts'

// Requests four images and prints the id of each stored one, until it is killed.
const [, , dataDir = '', url = ''] = process.argv
const upstream = openClient(url, 'sk-test-of-enough-length')
const { images } = createStoredImages(dataDir, async () => upstream)
const watching = images.watch()
await images.make({ prompt: 'four', n: 4, model: null, size: null, responseFormat: null, fromImageId: null })
// Stores Node's compile cache before the kill. The next process starts in half the time.
flushCompileCache()
for await (const change of watching) if (change.type === 'image') process.stdout.write(`${change.image.id}\n`)
