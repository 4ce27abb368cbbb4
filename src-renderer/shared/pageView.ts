import type { ComponentType } from 'react'

/** What a room puts into the window's regions. The frame decides whether list and inspector stand beside the stage or slide over it. */
export interface PageRegions {
  List?: ComponentType
  /** Begins with a `StageBar`; it alone scrolls. */
  Stage: ComponentType
  Inspector?: ComponentType
}
