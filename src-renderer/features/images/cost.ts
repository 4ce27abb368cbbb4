import { exact } from '../../../src-preload/contract/amountText.ts'
import type { Drawing } from '../../../src-preload/contract/images.ts'

const unit = 10n ** 18n

/** The expected cost of `n` images at the latest known price per image, SC, exact decimal string. Null when no price is known. */
export function likelyCost(drawings: readonly Drawing[], n: number): string | null {
  const last = drawings.find(({ cost, state, slots }) => cost !== null && state === 'done' && slots.length > 0)
  if (!last || last.cost === null) return null
  const all = (exact(last.cost) * BigInt(n)) / BigInt(last.slots.length)
  return `${all / unit}.${(all % unit).toString().padStart(18, '0')}`
}
