import type { SpeechPlan, SpeechWish } from '../../../../src-preload/contract/speech.ts'
import { StudioError } from '../../errors.ts'
import { fromNano, toNano } from '../../shared/money.ts'
import { type SpeechPlace, speechPlaces } from '../../shared/text/speechSplit.ts'
import type { SpeechTable } from '../../store/speeches.ts'

/** Estimates parts, cost and length of a text. Cost and length are extrapolated by bytes from earlier speeches. */
export function plan(table: Pick<SpeechTable, 'before'>, wish: SpeechWish): SpeechPlan {
  const parts = speechPlaces(wish.text)
  const asked = parts.reduce((sum, { bytes }) => sum + bytes, 0)
  const before = table.before(wish)
  const known = before.costs.reduce((sum, { bytes }) => sum + bytes, 0)
  const spent = before.costs.reduce((sum, { cost }) => sum + toNano(cost), 0n)
  return {
    bytes: Buffer.byteLength(wish.text),
    parts,
    cost: known > 0 ? fromNano((spent * BigInt(asked) + BigInt(known) / 2n) / BigInt(known)) : null,
    seconds: before.bytes > 0 ? (before.seconds * asked) / before.bytes : null,
  }
}

/** Splits a text into the parts to speak. @throws StudioError `bad_input` for a text without anything to speak */
export function placesOf(text: string): SpeechPlace[] {
  const places = speechPlaces(text)
  if (places.length === 0) throw new StudioError('bad_input', 'This text contains nothing to speak.')
  return places
}
