import { programIds, programInfos } from '../../../../src-preload/contract/programs.ts'
import { libraries } from './libraries.ts'
import type { Setup } from './setup.ts'

export { isLibrary, type Setup, type SetupStep } from './setup.ts'

/** In display order. Ids are unique. */
export const setups: Setup[] = [...programIds.map((id) => ({ id, ...programInfos[id] })), ...libraries]
