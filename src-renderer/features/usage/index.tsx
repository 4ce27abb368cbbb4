import { useEffect } from 'react'
import type { PageRegions } from '../../shared/pageView.ts'
import { offerUsageCommands } from './commands.ts'
import { UsageList } from './List.tsx'
import { UsageStage } from './Stage.tsx'

/** Registers the page's commands once per window, because Settings lists them on any page. */
export function UsageSubscriptions() {
  useEffect(() => offerUsageCommands(), [])
  return null
}

export const usagePage: PageRegions = { List: UsageList, Stage: UsageStage }
