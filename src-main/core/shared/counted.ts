import { countText } from '../../../src-preload/contract/amountText.ts'

/** A count with its noun, in English: `1 request`, `2,000 requests`. For logs and the command line. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`
