import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { endianness } from 'node:os'

/** The sockets of this computer with the user of each. @see https://docs.kernel.org/networking/proc_net_tcp.html */
const socketTables = ['/proc/net/tcp', '/proc/net/tcp6']

/**
 * Whether a connection from this computer comes from another user. Root does not count as one, because root can read everything anyway.
 * Only Linux lists the user of each connection: false elsewhere, and for a connection that the system does not list.
 *
 * For a secret in an address that a program opens in a browser: every user can read the command lines of all programs.
 * @param socket accepted by a server on 127.0.0.1
 */
export async function isFromOtherUser(socket: Socket): Promise<boolean> {
  const { localAddress, localPort, remoteAddress, remotePort } = socket
  const ourUser = process.getuid?.()
  if (ourUser === undefined || !localAddress || !localPort || !remoteAddress || !remotePort) return false
  const theirEnd = inTable(remoteAddress, remotePort)
  const ourEnd = inTable(localAddress, localPort)
  const tables = await Promise.all(socketTables.map((file) => readFile(file, 'latin1').catch(() => '')))
  for (const line of tables.join('\n').split('\n')) {
    const [, local = '', remote = '', , , , , user, , inode] = line.trim().split(/\s+/)
    if (!local.endsWith(theirEnd) || !remote.endsWith(ourEnd)) continue
    // A socket that its program has closed has no inode, and on older kernels the user 0.
    const isRoot = Number(user) === 0 && inode !== '0'
    return Number(user) !== ourUser && !isRoot
  }
  return false
}

/** An IPv4 address and port as the tables write them: hexadecimal, the address in the byte order of the processor. */
function inTable(address: string, port: number): string {
  const bytes = address.split('.').map((byte) => hex(Number(byte), 2))
  return `${(endianness() === 'LE' ? bytes.reverse() : bytes).join('')}:${hex(port, 4)}`
}

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0')
