import { type Cell, readTreePage } from './cells.ts'
import type { Pages } from './pages.ts'

/** What walking one tree met. */
export interface Walked {
  /** Pages that can't be read, or are no part of this tree. */
  holes: number
  /** Rows of pages that can be read, which can't be read themselves. */
  broken: number
  /** Rows that were given on. */
  rows: number
}

/** Pages that are a part of something: what no tree has claimed and no list of free pages names, may be what a broken page pointed to. */
export class Claims {
  readonly #claimed: Uint8Array
  constructor(count: number) {
    this.#claimed = new Uint8Array(count + 1)
  }
  has = (no: number): boolean => this.#claimed[no] !== 0
  take(no: number): void {
    this.#claimed[no] = 1
  }
}

interface Step {
  no: number
  /** Row ids that the page above promises: more than `over`, at most `upTo`. */
  over: number
  upTo: number
}

/**
 * Every row below `root`, in no order that counts. A page that is not what the one above it promises is left to others: a broken pointer must not
 * bring the rows of another table in. `take` says whether a row is one of this tree's.
 */
export function walkTree(
  pages: Pages,
  claims: Claims,
  root: number,
  isTable: boolean,
  take: (cell: Cell) => boolean,
): Walked {
  const walked: Walked = { holes: 0, broken: 0, rows: 0 }
  const todo: Step[] = [{ no: root, over: Number.NEGATIVE_INFINITY, upTo: Number.POSITIVE_INFINITY }]
  for (let step = todo.pop(); step; step = todo.pop()) {
    const { no, over, upTo } = step
    const page = no < 1 || no > pages.count || claims.has(no) ? null : readTreePage(pages, no)
    if (page === null || page.isTable !== isTable || (no !== root && !isPromised(page.cells, step))) {
      walked.holes += 1
      continue
    }
    claims.take(no)
    walked.broken += page.broken
    for (const cell of page.cells) {
      if (take(cell)) walked.rows += 1
      else walked.broken += 1
    }
    let from = over
    for (const child of page.children) {
      const to = child.upTo ?? upTo
      todo.push({ no: child.no, over: isTable ? from : Number.NEGATIVE_INFINITY, upTo: isTable ? to : upTo })
      from = to
    }
  }
  return walked
}

function isPromised(cells: readonly Cell[], { over, upTo }: Step): boolean {
  const [first] = cells
  // One flipped key above must not cost the page: most of its rows decide.
  if (!first || first.rowid === null) return true
  const inside = cells.filter(({ rowid }) => rowid !== null && rowid > over && rowid <= upTo).length
  return inside * 2 >= cells.length
}

/** Pages that are free hold what was deleted (https://sqlite.org/fileformat2.html, 1.5): none of it may come back. */
export function claimFree(pages: Pages, claims: Claims): void {
  const head = pages.page(1)
  let no = head.readUInt32BE(32)
  while (no >= 2 && no <= pages.count && !claims.has(no)) {
    claims.take(no)
    const trunk = pages.page(no)
    const count = Math.min(trunk.readUInt32BE(4), pages.usable / 4 - 2)
    for (let index = 0; index < count; index += 1) {
      const leaf = trunk.readUInt32BE(8 + 4 * index)
      if (leaf >= 2 && leaf <= pages.count) claims.take(leaf)
    }
    no = trunk.readUInt32BE(0)
  }
}
