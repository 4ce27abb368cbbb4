import { getCACertificates } from 'node:tls'

// Runs in a process of its own, because Node reads the certificates of the system once per process, and can wait long for them. Sends them to
// its parent and ends.

/** The parent of a utility process of Electron. */
interface ParentPort {
  postMessage(message: unknown): void
}

const parent = (process as NodeJS.Process & { parentPort?: ParentPort }).parentPort
const certificates = getCACertificates('system')
if (parent) parent.postMessage(certificates)
else process.send?.(certificates)
