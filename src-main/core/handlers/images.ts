import type { Images } from '../features/images/images.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures about image generation. */
export const imagesHandlers = (os: Implementer['images'], host: Host, images: Images) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, images.watch(signal))),
  find: os.find.handler(({ input }) => images.find(input)),
  get: os.get.handler(({ input }) => images.get(input)),
  generate: os.generate.handler(({ input }) => images.make(input)),
  cancel: os.cancel.handler(({ input }) => images.cancel(input)),
  dismiss: os.dismiss.handler(({ input }) => done(images.dismiss(input))),
  setFavourite: os.setFavourite.handler(({ input }) => done(images.favourite(input))),
  saveThumbnail: os.saveThumbnail.handler(({ input }) => images.saveThumbnail(input)),
  save: os.save.handler(({ input }) => images.save(input)),
  asAttachment: os.asAttachment.handler(({ input }) => images.asAttachment(input)),
  remove: os.remove.handler(({ input }) => images.remove(input)),
  restore: os.restore.handler(({ input }) => images.restore(input)),
})
