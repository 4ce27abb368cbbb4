import { type Cell, readTreePage } from './cells.ts'
import type { Pages } from './pages.ts'

/** The result of walking one tree. */
export interface Walked {
  /** Number of pages that cannot be read, or that are not part of this tree. */
  holes: number
  /** Number of unreadable rows on readable pages. */
  broken: number
  /** Number of rows that were passed on. */
  rows: number
}

/** The pages that are known to be part of something. A page that no tree claims and no free list names may be below a broken page. */
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
  /** The row ids that the parent page allows: more than `over`, at most `upTo`. */
  over: number
  upTo: number
}

/**
 * Visits every row below `root`, in no particular order. A page that does not match its parent page is skipped, so that a broken pointer
 * does not bring in the rows of another table. `take` decides whether a row belongs to this tree.
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
    const taken = page.cells.filter(take).length
    // A page of another tree, to which a broken pointer leads. The other tree can still claim it.
    if (taken === 0 && page.cells.length > 0) {
      walked.holes += 1
      continue
    }
    claims.take(no)
    walked.rows += taken
    walked.broken += page.broken + page.cells.length - taken
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
  // The majority of the rows decides, so that one wrong key in the parent does not lose the page.
  if (!first || first.rowid === null) return true
  const inside = cells.filter(({ rowid }) => rowid !== null && rowid > over && rowid <= upTo).length
  return inside * 2 >= cells.length
}

/** Claims the free pages, which contain deleted rows (https://sqlite.org/fileformat2.html, 1.5). Deleted rows must not be recovered. */
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
