import type { ContractRouterClient } from '@orpc/contract'
import { createContext, use } from 'react'
import type { Contract } from '../src-preload/contract/contract.ts'

/** Everything that the core can be asked for, typed by the contract. */
export type Studio = ContractRouterClient<Contract>

export const StudioContext = createContext<Studio | null>(null)

export function useStudio(): Studio {
  const studio = use(StudioContext)
  if (!studio) throw new Error('No StudioContext around this component.')
  return studio
}
