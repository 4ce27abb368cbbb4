import { localStore } from '../../shared/storage.ts'
import { client } from './client.ts'

/** Prefixes of the stored lists of files of drafts. */
const lists = /^chat\.(?:documents|pictures)\./

/**
 * Lets the core delete a file that was removed from a draft. Does nothing while another draft of this browser has the file. When the core
 * cannot be reached, the file stays until it is cleaned up.
 */
export function releaseFile(mediaId: string): void {
  // Every list of a draft contains the ids of its files as they are.
  if (localStore.keys().some((key) => lists.test(key) && localStore.get(key)?.includes(mediaId))) return
  client()
    ?.media.release({ mediaId })
    // The file stays until it is cleaned up, and nobody waits for it.
    .catch(() => undefined)
}
