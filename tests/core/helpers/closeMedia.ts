import { onTestFinished } from 'vitest'
import type { Media } from '../../../src-main/core/features/media/media.ts'
import type { Transfers } from '../../../src-main/core/features/transfers/transfers.ts'
import type { Store } from '../../../src-main/core/store/store.ts'

/** Closes a feature with its files and its store in their order, once: when the returned function is called, or when the test ends. */
export function closesOnce(
  feature: { close(): Promise<unknown> },
  { transfers, media, store }: { transfers: Transfers; media: Media; store: Store },
): () => Promise<void> {
  let closed: Promise<void> | null = null
  const end = async (): Promise<void> => {
    await feature.close()
    await transfers.close()
    await media.swept
    store.close()
  }
  const close = (): Promise<void> => (closed ??= end())
  onTestFinished(close)
  return close
}
