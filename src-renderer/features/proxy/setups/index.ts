import { agents } from './agents.ts'
import { editors } from './editors.ts'
import { libraries } from './libraries.ts'
import type { Setup } from './setup.ts'

export type { Setup, SuggestedRule } from './setup.ts'

/** In display order. Ids are unique. */
export const setups: Setup[] = [...agents, ...editors, ...libraries]
