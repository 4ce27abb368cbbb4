import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** How long the program may take, ms. A hung one must not delay the start or the end. */
const longestMs = 5000

/** The socket of systemd, deleted from the environment so that started programs can't speak for this one. */
let socket: string | null | undefined

/**
 * Tells systemd about a state of this process, such as `READY=1`, when systemd started it with `Type=notify`. Does nothing elsewhere. The
 * socket takes datagrams, which Node can't send to a path, so the program `systemd-notify` sends them (decision 0056).
 * Call it without a state first, before other programs are started: that takes the socket.
 * @throws the error of a missing or failing `systemd-notify`
 */
export async function notifySystemd(...states: readonly string[]): Promise<void> {
  if (socket === undefined) {
    socket = process.env.NOTIFY_SOCKET ?? null
    delete process.env.NOTIFY_SOCKET
  }
  if (socket === null || states.length === 0) return
  const env = { PATH: process.env.PATH, NOTIFY_SOCKET: socket }
  await promisify(execFile)('systemd-notify', [`--pid=${process.pid}`, ...states], { env, timeout: longestMs })
}
