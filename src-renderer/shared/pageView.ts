import type { ComponentType } from 'react'

/**
 * The parts of a page for the regions of the window. The frame decides whether list and inspector are beside the stage or slide over it.
 */
export interface PageRegions {
  List?: ComponentType
  /** Starts with a `StageBar`. Only the stage scrolls. */
  Stage: ComponentType
  Inspector?: ComponentType
  /** Such an inspector is closed until a person opens it, and takes no width while it has nothing to show. */
  inspectorOnDemand?: {
    subscribe: (changed: () => void) => () => void
    isFilled: () => boolean
  }
}
