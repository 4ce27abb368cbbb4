import { useEffect } from 'react'
import type { PageRegions } from '../../shared/pageView.ts'
import { offerImagesCommands } from './commands.ts'
import { ImagesInspector } from './Inspector.tsx'
import { ImagesList } from './List.tsx'
import { ImagesStage } from './Stage.tsx'

/** Registers the page's commands once per window, because Settings lists them on any page. */
export function ImagesSubscriptions() {
  useEffect(() => offerImagesCommands(), [])
  return null
}

export const imagesPage: PageRegions = {
  List: ImagesList,
  Stage: ImagesStage,
  Inspector: ImagesInspector,
  inspectorOnDemand: true,
}
