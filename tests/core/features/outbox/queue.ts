import { imageSender } from '../../../../src-main/core/compose/outboxSenders.ts'
import { Outbox, type OutboxSender } from '../../../../src-main/core/features/outbox/outbox.ts'
import type { Connection } from '../../../../src-preload/contract/app.ts'
import type { OutboxKind } from '../../../../src-preload/contract/outbox.ts'
import { openClient } from '../../../helpers/openClient.ts'
import { createStoredImages } from '../../helpers/imagesFeature.ts'

/** A sender that this test does not use. */
const unused = <W extends OutboxKind>(): OutboxSender<W> => ({
  make: () => Promise.reject(new Error('Not in this test.')),
  over: () => Promise.reject(new Error('Not in this test.')),
  has: () => false,
  takeBack: () => {
    throw new Error('Not in this test.')
  },
})

/** An outbox with the real images feature, whose service is at `url`. The test sets the state of the connection. */
export function openQueue(dataDir: string, url: string) {
  const upstream = openClient(url, 'sk-test-of-enough-length', { retry: { maxAttempts: 1 } })
  const { store, transfers, media, images } = createStoredImages(dataDir, async () => upstream)
  const profile = { id: 'one', name: 'One', kind: 'service', baseUrl: url, keyKept: 'session' } as const
  let connection: Connection = { state: 'failed', profile, problem: null, checkedAt: null }
  const outbox = new Outbox({
    store,
    senders: {
      images: imageSender(images),
      speech: unused<'speech'>(),
      transcript: unused<'transcript'>(),
    },
    connection: () => connection,
    reach: async () => connection.state === 'connected',
    log: (_, line) => process.stderr.write(`${line}\n`),
  })
  return {
    store,
    outbox,
    images,
    add: (prompt: string) =>
      outbox.add({
        request: { what: 'images', prompt, n: 1, model: null, size: null, responseFormat: null, fromImageId: null },
      }),
    setConnection(state: Connection['state'], id = 'one') {
      connection = { ...connection, state, profile: { ...profile, id } }
      outbox.connectionChanged()
    },
    async close() {
      const over = outbox.close()
      await images.close()
      await over
      await upstream.close()
      await transfers.close()
      await media.swept
      store.close()
    },
  }
}
