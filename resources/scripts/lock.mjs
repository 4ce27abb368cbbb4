// A lock between processes that the operating system releases when its holder dies, however it dies.
// Runs on any Node from 20.19 on, with nothing installed: built-in modules only.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

// A listening local socket is the lock. On Windows it is a named pipe, which exists only as long as its process. Elsewhere it is a file that remains
// after a kill, and deleting a remaining file could delete the new socket of a faster process. So each holder listens on the next free number
// (`ID.1`, `ID.2`, …), and the highest number that accepts connections is the holder.
const windows = process.platform === 'win32'

/**
 * Waits for the lock of the folder `root` and holds it until this process ends. Call it once in a process.
 * @param {string} root
 * @param {string} purpose what the holder does, for those who wait: "installs packages"
 * @param {(holder: string) => void} waiting called once with a line about the holder, when the lock is taken
 */
export async function holdLock(root, purpose, waiting) {
  const id = createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 16)
  const line = `process ${process.pid} ${purpose}`
  let told = false
  const tell = (holder) => {
    if (!told) waiting(holder)
    told = true
  }
  const place = windows ? pipe(id) : sockets(id)
  while (!(await place.take(line, tell))) {
    // Two that met yield to each other: not again at the same moment.
    await pause(Math.random() * 50)
  }
}

function pipe(id) {
  const path = `\\\\.\\pipe\\inference-studio-${id}`
  return {
    async take(line, tell) {
      if (await listen(path, line)) return true
      await untilGone(path, tell)
      return false
    },
  }
}

function sockets(id) {
  // Not in the folder itself: the path of a socket has at most 104 bytes, and not every file system has sockets.
  const folder = join(tmpdir(), `inference-studio-${userInfo().uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const pathOf = (number) => join(folder, `${id}.${number}`)
  const numbers = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith(`${id}.`))
      .map((name) => Number(name.slice(id.length + 1)))
      .sort((a, b) => a - b)
  return {
    async take(line, tell) {
      const highest = numbers().at(-1) ?? 0
      if (highest > 0 && (await untilGone(pathOf(highest), tell))) return false
      const own = highest + 1
      const server = await listen(pathOf(own), line)
      if (!server) return false
      // A process may have looked at a socket before it accepted connections, and taken it for a dead one. It is seen here, by at least one of both.
      const others = numbers().filter((number) => number !== own)
      const alive = await Promise.all(others.map(async (number) => number > own || accepts(pathOf(number))))
      if (alive.includes(true)) {
        server.giveUp()
        return false
      }
      for (const number of others) rmSync(pathOf(number), { force: true })
      return true
    },
  }
}

/** A server that tells everybody `line`, or null where the address is in use. It does not keep this process alive. */
function listen(path, line) {
  return new Promise((resolve, reject) => {
    const sockets = new Set()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => undefined)
      socket.unref()
      socket.write(`${line}\n`)
    })
    const giveUp = () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)))
    server.listen(path, () => {
      server.unref()
      resolve({ giveUp })
    })
  })
}

function accepts(path) {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      resolve(true)
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
  })
}

/** Resolves when nobody listens there any more: with true where somebody did. */
function untilGone(path, tell) {
  return new Promise((resolve) => {
    let connected = false
    let patience
    const socket = connect(path, () => {
      connected = true
      // A holder that is computing says nothing about itself.
      patience = setTimeout(() => tell('another process installs or builds here'), 1000)
    })
    socket.on('data', (bytes) => tell(String(bytes).trim()))
    // The holder's death can be an error of the connection.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(patience)
      resolve(connected)
    })
  })
}
