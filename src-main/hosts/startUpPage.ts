import type { DatabaseName, Opening } from '../../src-preload/contract/data.ts'

/** What stands in the studio's place while its data is made ready. */
export const openingPage = '/app/opening/index.html'
/** For whoever asks for anything else of it, in plain text. */
export const openingWords = 'Inference Studio is getting its data ready. Ask again in a second.'

const names: Record<DatabaseName, string> = {
  studio: 'chats and media',
  ledger: 'request log',
  bodies: 'kept texts of requests',
  account: 'account’s books',
}

/** One line for a terminal. */
export function openingLine({ stage, database, rows }: Opening): string {
  const what = `the ${names[database]}`
  if (stage === 'checking') return `Checking ${what}…`
  if (stage === 'updating') return `Bringing ${what} to this version…`
  return `Mending ${what}: ${(rows ?? 0).toLocaleString('en')} rows so far…`
}
