import type { Media } from '../features/media/media.ts'
import type { MediaRetention } from '../features/media/retention.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures about stored media files: disk use, cleaning up, waveforms. */
export const mediaHandlers = (os: Implementer['media'], media: Media, retention: MediaRetention) => ({
  addImage: os.addImage.handler(({ input }) => media.addImage(input)),
  release: os.release.handler(({ input }) => done(media.release(input.mediaId))),
  storageUse: os.storageUse.handler(() => retention.use()),
  previewCleanUp: os.previewCleanUp.handler(({ input }) => retention.previewCleanUp(input)),
  cleanUp: os.cleanUp.handler(({ input }) => retention.cleanUp(input)),
  reveal: os.reveal.handler(({ input }) => retention.reveal(input)),
  dragOut: os.dragOut.handler(({ input }) => retention.dragOut(input)),
  peaks: os.peaks.handler(({ input }) => retention.peaks(input)),
  savePeaks: os.savePeaks.handler(({ input }) => done(retention.savePeaks(input))),
})
