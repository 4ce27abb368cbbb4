import { createContext, use } from 'react'
import type { Client } from '../api/connect.ts'

export const StudioContext = createContext<Client | null>(null)

/** Everything that the core can be asked for, typed by the contract. What a call throws, `problemOf` puts into words. */
export function useStudio(): Client {
  const studio = use(StudioContext)
  if (!studio) throw new Error('No StudioContext around this component.')
  return studio
}
