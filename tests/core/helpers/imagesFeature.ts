import type { ImagesUpstream } from '../../../src-main/core/features/images/dependencies.ts'
import { createImages, type Images } from '../../../src-main/core/features/images/images.ts'
import { createMedia, type Media } from '../../../src-main/core/features/media/media.ts'
import { createTransfers, type Transfers } from '../../../src-main/core/features/transfers/transfers.ts'
import { openStore, type Store } from '../../../src-main/core/store/store.ts'

type ImagesOptions = Parameters<typeof createImages>[0]

export interface StoredImages {
  store: Store
  transfers: Transfers
  media: Media
  images: Images
}

/** The images feature with a real store and real files. Saving needs a `zip` in `options`. */
export function createStoredImages(
  dataDir: string,
  upstream: () => Promise<ImagesUpstream>,
  options: Partial<ImagesOptions> & { open?: Parameters<typeof openStore>[1] } = {},
): StoredImages {
  const { open, ...given } = options
  const store = openStore(dataDir, open ?? {})
  const transfers = createTransfers({ dataDir })
  const media = createMedia({ dataDir, store, uploads: transfers.uploads })
  const images = createImages({
    store,
    upstream,
    media,
    costOf: () => ({ cost: null, costIs: 'unknown' }),
    tempDir: transfers.folder,
    uploads: transfers.uploads,
    downloads: transfers.downloads,
    zip: () => {
      throw new Error('Nothing is saved here.')
    },
    log: (line) => process.stderr.write(`${line}\n`),
    ...given,
  })
  return { store, transfers, media, images }
}
