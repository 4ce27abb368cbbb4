import type { DatabaseName, Opening } from '../../src-preload/contract/data.ts'

/** URL path of the page that is served during the start-up work. */
export const openingPage = '/app/opening/index.html'
/** Plain-text body of all other responses during the start-up work. */
export const openingWords = 'Inference Studio is starting. Try again in a second.'

const names: Record<DatabaseName, string> = {
  studio: 'chats and media',
  ledger: 'request log',
  bodies: 'stored request bodies',
  account: 'account data',
}

/** The start-up work as one line for a terminal. */
export function openingLine({ stage, database, rows }: Opening): string {
  const what = `the ${names[database]}`
  if (stage === 'checking') return `Checking ${what}…`
  if (stage === 'waiting') return `Another program has locked ${what}. Waiting until it is free…`
  if (stage === 'updating') return `Updating ${what} to this version…`
  return `Repairing ${what}: ${(rows ?? 0).toLocaleString('en')} rows so far…`
}
