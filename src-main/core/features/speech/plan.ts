import type { SpeechPlan, SpeechWish } from '../../../../src-preload/contract/speech.ts'
import { StudioError } from '../../errors.ts'
import { fromNano, toNano } from '../../shared/money.ts'
import { type SpeechPlace, speechPlaces } from '../../shared/text/speechSplit.ts'
import type { SpeechTable } from '../../store/speeches.ts'

/** What a text would become. Cost and length go by bytes, from what was spoken before. */
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

/** The parts of a text that is to be spoken now. @throws StudioError `bad_input` where it has none */
export function placesOf(text: string): SpeechPlace[] {
  const places = speechPlaces(text)
  if (places.length === 0) throw new StudioError('bad_input', 'There is nothing in this text to speak.')
  return places
}
