import type { Drawing } from '../../../src-preload/contract/images.ts'
import { exact } from '../../shared/ui/sc.ts'

const unit = 10n ** 18n

/** What `n` pictures would cost if each cost as much as the last ones did, as decimal text in SC; null where none has a price. */
export function likelyCost(drawings: readonly Drawing[], n: number): string | null {
  const last = drawings.find(({ cost, state, slots }) => cost !== null && state === 'done' && slots.length > 0)
  if (!last || last.cost === null) return null
  const all = (exact(last.cost) * BigInt(n)) / BigInt(last.slots.length)
  return `${all / unit}.${(all % unit).toString().padStart(18, '0')}`
}
