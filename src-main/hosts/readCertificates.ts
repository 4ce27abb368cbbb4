import * as z from 'zod'
import { StudioError } from '../core/errors.ts'
import type { ChildOfProgram } from '../core/shared/processWorker.ts'

/** How long the last message of a process may come after its end, ms. */
const lastMessageMs = 500
/** Longest run of the process, ms. Some Macs need nearly two minutes (nodejs/node#63313). */
const readMs = 180_000

/**
 * The certificates of the system that a process of `certificates.ts` sends. Ends the process.
 * @throws StudioError `bug` when it sends no list of certificates in time
 */
export async function readCertificates(child: ChildOfProgram): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  const fail = (words: string): void => reject(new StudioError('bug', words))
  let timer = setTimeout(() => fail('The process that reads the certificates did not end in time.'), readMs)
  child.onMessage((message) => {
    const { data } = z.array(z.string()).safeParse(message)
    if (data) resolve(data)
    else fail('What the process read is not a list of certificates.')
  })
  child.onEnd((how) => {
    clearTimeout(timer)
    // The end may be reported before the last message.
    timer = setTimeout(() => fail(`The process that reads the certificates ended (${how}).`), lastMessageMs)
  })
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    child.kill()
  }
}
