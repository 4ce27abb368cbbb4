import { inBackground } from '../../shared/unexpected.ts'
import { openStored } from './connect.ts'
import type { Session } from './session.ts'

/**
 * Follows changes that the command line makes to stored connections while this core runs. `observe` reports possible
 * changes of the database. A connection for this run only stays active until another is chosen. Returns a function
 * that stops following.
 */
export function followStored(session: Session, observe: (look: () => void) => () => void): () => void {
  const { profiles } = session.store
  let active = profiles.active()?.id ?? null
  const look = (): void => {
    const { profile } = session.connection
    const stored = profile && profiles.get(profile.id)
    if (profile && stored === null && !session.temporary.has(profile.id)) {
      session.keys.delete(profile.id)
      session.forget()
      session.forgotten.notify(profile.id)
    } else if (profile && stored && stored.name !== profile.name) session.renamed(stored.name)
    const chosen = profiles.active()?.id ?? null
    if (chosen === active) return
    active = chosen
    if (chosen === null || chosen === profile?.id) return
    const opened = openStored(session).then(() => session.check())
    inBackground('The connection that was chosen could not be opened', opened)
  }
  const ends = [
    // Ignores changes made by this core.
    session.changes.add(() => {
      active = profiles.active()?.id ?? null
    }),
    observe(look),
  ]
  return () => {
    for (const end of ends) end()
  }
}
