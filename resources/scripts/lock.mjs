// A lock between processes. The operating system releases it when its holder ends, even by a kill.
// Runs on any Node from 20.19 on, with nothing installed: built-in modules only.
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

// The lock is a listening local socket. On Windows it is a named pipe, which disappears with its process. Elsewhere it is a
// file that remains after a kill, and deleting that file could delete the new socket of a faster process. So each holder
// listens on the next free number (`ID.1`, `ID.2`, …). The highest number that accepts connections is the holder.
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
  let reported = false
  const report = (holder) => {
    if (!reported) waiting(holder)
    reported = true
  }
  const place = windows ? pipe(id) : sockets(id)
  while (!(await place.take(line, report))) {
    // Two processes that met both gave up. A random pause separates their next attempts.
    await pause(Math.random() * 50)
  }
}

function pipe(id) {
  const path = `\\\\.\\pipe\\inference-studio-${id}`
  return {
    async take(line, report) {
      if (await listen(path, line)) return true
      await untilGone(path, report)
      return false
    },
  }
}

function sockets(id) {
  // Not in `root`: a socket path has at most 104 bytes, and not every file system supports sockets.
  // Not `userInfo()`, which fails for a user without an entry in /etc/passwd, as in containers.
  const user = process.getuid()
  const folder = join(tmpdir(), `inference-studio-${user}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Any user can create this name first, and then hold the lock for ever.
  const { uid, mode } = lstatSync(folder)
  if (uid !== user || (mode & 0o022) !== 0) {
    throw new Error(`Other users of this computer can write ${folder}. Set TMPDIR to a folder of your own.`)
  }
  const pathOf = (number) => join(folder, `${id}.${number}`)
  const numbers = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith(`${id}.`))
      .map((name) => Number(name.slice(id.length + 1)))
      .sort((a, b) => a - b)
  return {
    async take(line, report) {
      const highest = numbers().at(-1) ?? 0
      if (highest > 0 && (await untilGone(pathOf(highest), report))) return false
      const own = highest + 1
      const server = await listen(pathOf(own), line)
      if (!server) return false
      // Another process may have tested this socket before it accepted connections. At least one of the two sees the other here.
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

/** Starts a server that sends `line` to every client, or returns null when the address is in use. Does not keep the process alive. */
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

/** Resolves when no process listens on `path` any more, with true if one did. */
function untilGone(path, report) {
  return new Promise((resolve) => {
    let connected = false
    let patience
    const socket = connect(path, () => {
      connected = true
      // A busy holder sends no line.
      patience = setTimeout(() => report('another process installs or builds here'), 1000)
    })
    socket.on('data', (bytes) => report(String(bytes).trim()))
    // The end of the holder can be a connection error.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(patience)
      resolve(connected)
    })
  })
}
