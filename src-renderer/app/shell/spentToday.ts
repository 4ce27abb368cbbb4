import type { Summary } from '../../../src-preload/contract/usage.ts'
import { exact } from '../../shared/ui/sc.ts'

/**
 * The amount spent today, SC. The service's figure includes other computers but is as old as the last fetch. When this computer alone knows
 * of a higher amount, that amount counts. Null when neither is known.
 */
export function spentToday({ service, here }: Summary['today']): { amount: string; by: 'service' | 'here' } | null {
  if (service !== null && (here === null || exact(here) <= exact(service))) return { amount: service, by: 'service' }
  return here === null ? null : { amount: here, by: 'here' }
}
