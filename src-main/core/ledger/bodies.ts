import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BodyWish } from '../store/ledger/bodies.ts'
import type { LedgerStore } from '../store/ledger/open.ts'

/** Bodies that are erased in one go: each may be 512 KB that has to be overwritten. */
const atOnce = 20
const pagesEach = 130

/**
 * Erases logged bodies and answers of how many requests. When it resolves, nothing of them is left in the files,
 * but where `closing` cut it short: the next start goes on with what is too old. */
export async function eraseBodies(
  store: LedgerStore,
  wish: BodyWish,
  closing: () => boolean = () => false,
): Promise<number> {
  let erased = 0
  for (;;) {
    const ids = store.bodies.eraseSome(wish, atOnce)
    store.transaction(() => {
      for (const id of ids) store.requests.forgetBodies(id)
    })
    erased += ids.length
    store.bodies.shrink(atOnce * pagesEach)
    if (ids.length < atOnce || closing()) break
    await nextTurn()
  }
  if (erased > 0) store.bodies.giveBack()
  return erased
}
