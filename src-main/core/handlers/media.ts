import type { Media } from '../features/media/media.ts'
import type { MediaRetention } from '../features/media/retention.ts'
import { done, type Implementer } from './implementer.ts'

export const mediaHandlers = (os: Implementer['media'], media: Media, keeping: MediaRetention) => ({
  addImage: os.addImage.handler(({ input }) => media.addImage(input)),
  use: os.use.handler(() => keeping.use()),
  wouldCleanUp: os.wouldCleanUp.handler(({ input }) => keeping.wouldCleanUp(input)),
  cleanUp: os.cleanUp.handler(({ input }) => keeping.cleanUp(input)),
  reveal: os.reveal.handler(({ input }) => keeping.reveal(input)),
  dragOut: os.dragOut.handler(({ input }) => keeping.dragOut(input)),
  peaks: os.peaks.handler(({ input }) => keeping.peaks(input)),
  keepPeaks: os.keepPeaks.handler(({ input }) => done(keeping.keepPeaks(input))),
})
