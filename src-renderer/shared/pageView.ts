import type { ComponentType } from 'react'

/**
 * The parts of a page for the regions of the window. The frame decides whether list and inspector are beside the stage or slide over it.
 */
export interface PageRegions {
  List?: ComponentType
  /** Starts with a `StageBar`. Only the stage scrolls. */
  Stage: ComponentType
  Inspector?: ComponentType
  /** The inspector is closed until the person opens it. */
  inspectorOnDemand?: boolean
  /** Whether the inspector has content. Without content, it has no width and no button. Default: always. */
  inspectorContent?: {
    subscribe: (changed: () => void) => () => void
    isThere: () => boolean
  }
}
