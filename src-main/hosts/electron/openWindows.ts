import { readFileSync, rmSync } from 'node:fs'
import * as z from 'zod'
import { writeWhole } from './windowState.ts'

const openWindow = z.object({
  /** The size and position of the window are stored under this number. */
  number: z.number().int().min(0).max(99),
  /** Fragment of the page's address: the page and its item. */
  hash: z
    .string()
    .max(500)
    // The characters of `encodeURIComponent`, and slashes.
    .regex(/^(#[\w/%.~!'()*-]*)?$/),
})
/** Maximum number of windows that are opened again. */
const maxWindows = 20
export type OpenWindow = z.infer<typeof openWindow>

/**
 * Stores the windows that are open when the program quits, the last used one last. One window alone needs no list. A list that can't be
 * written is given up, because nothing may delay the end of the core.
 */
export function storeOpenWindows(file: string, open: readonly { number: number; address: string }[]): void {
  const all = open.map(({ number, address }) => ({ number, hash: placeOf(address) }))
  try {
    if (all.length > 1) writeWhole(file, JSON.stringify(all))
    else rmSync(file, { force: true })
  } catch {
    // The next start opens one window.
  }
}

/** The fragment without the text of a link, which was meant for one start only. */
const placeOf = (address: string): string =>
  URL.canParse(address) ? (new URL(address).hash.split('?', 1)[0] ?? '') : ''

/** Returns the windows of the last run, and forgets them, so that a page that can't be opened does not return for ever. */
export function takeOpenWindows(file: string): OpenWindow[] {
  try {
    const found = z.array(z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8')))
    rmSync(file, { force: true })
    return found.flatMap((one) => openWindow.safeParse(one).data ?? []).slice(-maxWindows)
  } catch {
    return [] // the last run had one window, or the file is damaged
  }
}
