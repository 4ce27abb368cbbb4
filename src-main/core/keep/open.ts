import type { DatabaseName } from '../../../src-preload/contract/data.ts'
import { isDamage } from '../store/database.ts'
import { type MendParts, mendFolder } from './mend/mend.ts'
import { forgetNote, noteDamage, wasNoted } from './mend/note.ts'
import { settleSwaps } from './swap.ts'

export interface OpeningParts extends Pick<MendParts, 'dataDir' | 'typeOf' | 'log'> {
  /** False after an owner that was killed: every page is read then. */
  endedCleanly: boolean
}

/**
 * The opening of a data folder by its owner: what was laid ready is put in place, what is damaged is set aside and recovered, and then the files are opened one
 * after another. Where one can't be, `giveUp` and what was given to `onFailure` run, the last first.
 * @throws StudioError `store_newer`, `store_damaged` (another program's file; what is ready can't be put in place)
 */
export function openKept({ endedCleanly, ...parts }: OpeningParts, giveUp: () => void) {
  const undo: (() => unknown)[] = [giveUp]
  const orGiveUp = <T>(work: () => T): T => {
    try {
      return work()
    } catch (thrown) {
      for (const one of undo.splice(0).reverse()) void one()
      throw thrown
    }
  }
  const problem = orGiveUp(() => {
    const met = settleSwaps(parts.dataDir)
    mendFolder({ ...parts, how: wasNoted(parts.dataDir) ? 'everything' : endedCleanly ? 'head' : 'pages' })
    return met
  })
  return {
    /** Why a backup that waited was not put in place. */
    problem,
    /** `names`: the databases that it opens, and those that nobody has opened yet. Damage that shows only now is mended too, once. */
    open: <T>(names: readonly DatabaseName[], work: () => T): T =>
      orGiveUp(() => {
        try {
          return work()
        } catch (thrown) {
          if (!isDamage(thrown)) throw thrown
          mendFolder({ ...parts, how: 'everything', only: names })
          return work()
        }
      }),
    onFailure: (one: () => unknown): void => void undo.push(one),
    /** All of them are open: nothing is suspected any more. */
    opened: (): void => forgetNote(parts.dataDir),
    /** The program stands on them, and closes them itself from now on. */
    built: (): void => void undo.splice(0),
    /**
     * For what was thrown while the program was being built on files that looked sound. Where it is damage, all that is open is closed, and the next opening
     * of the folder reads everything: true. The rest is not ours.
     */
    async metDamage(thrown: unknown): Promise<boolean> {
      if (!isDamage(thrown)) return false
      noteDamage(parts.dataDir, String(thrown))
      for (const one of undo.splice(0).reverse()) await one()
      return true
    },
  }
}
