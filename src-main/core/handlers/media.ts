import type { Media } from '../media/media.ts'
import type { Implementer } from './implementer.ts'

export const mediaHandlers = (os: Implementer['media'], media: Media) => ({
  addImage: os.addImage.handler(({ input }) => media.addImage(input)),
})
