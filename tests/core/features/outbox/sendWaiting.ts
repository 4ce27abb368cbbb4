import { randomUUID } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { openQueue } from './queue.ts'

// Adds image requests endlessly while the service appears and disappears. Prints each request after it is stored. Runs
// until it is killed.
const [, , dataDir = '', url = ''] = process.argv
const queue = openQueue(dataDir, url)
flushCompileCache()
for (let turn = 0; ; turn += 1) {
  for (let count = 0; count < 3; count += 1) {
    const prompt = randomUUID()
    queue.add(prompt)
    process.stdout.write(`${prompt}\n`)
  }
  queue.setConnection(turn % 3 === 2 ? 'failed' : 'connected')
  await new Promise<void>((resolve) => setTimeout(resolve, 5))
}
