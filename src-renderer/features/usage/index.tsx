import { useEffect } from 'react'
import type { PageRegions } from '../../shared/pageView.ts'
import { offerUsageCommands } from './commands.ts'
import { UsageList } from './List.tsx'
import { UsageStage } from './Stage.tsx'

/** Offers the room's commands once for the window: Settings lists them from anywhere. */
export function UsageSubscriptions() {
  useEffect(() => offerUsageCommands(), [])
  return null
}

export const usagePage: PageRegions = { List: UsageList, Stage: UsageStage }
