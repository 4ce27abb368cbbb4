import { implement } from '@orpc/server'
import { contract } from '../../../src-preload/contract/contract.ts'
import type { Host } from '../host.ts'
import { toWire } from './errors.ts'

/** The contract, to be filled with what answers it; what a room throws crosses as its problem. */
export function implementer(host: Host) {
  return implement(contract).use(async ({ next }) => {
    try {
      return await next()
    } catch (thrown) {
      throw toWire(host, thrown)
    }
  })
}
export type Implementer = ReturnType<typeof implementer>

/** For procedures that answer nothing. */
export const done = async (work: unknown): Promise<Record<string, never>> => {
  await work
  return {}
}
