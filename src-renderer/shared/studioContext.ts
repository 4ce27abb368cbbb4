import { createContext, use } from 'react'
import type { Client } from '../api/connect.ts'

export const StudioContext = createContext<Client | null>(null)

/** The client of the core, typed by the contract. `problemOf` turns an error of a call into a `Problem`. */
export function useStudio(): Client {
  const studio = use(StudioContext)
  if (!studio) throw new Error('useStudio needs a StudioContext around the component.')
  return studio
}
