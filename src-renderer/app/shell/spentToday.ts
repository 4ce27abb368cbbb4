import type { Summary } from '../../../src-preload/contract/usage.ts'
import { exact } from '../../shared/ui/sc.ts'

/**
 * What is known to be spent today, in SC: the service's word covers other machines too, but is as old as the last fetch; where this
 * machine alone knows of more by now, that is said. Null where nobody knows anything.
 */
export function spentToday({ service, here }: Summary['today']): { amount: string; by: 'service' | 'here' } | null {
  if (service !== null && (here === null || exact(here) <= exact(service))) return { amount: service, by: 'service' }
  return here === null ? null : { amount: here, by: 'here' }
}
