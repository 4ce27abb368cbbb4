import { open } from 'node:fs/promises'

/** Flushes a file or folder from the operating system's cache to disk. A folder contains the names of its files. */
export async function toDisk(path: string, flags: 'r' | 'r+'): Promise<void> {
  // Windows cannot open folders. Its file systems journal names by themselves.
  if (process.platform === 'win32' && flags === 'r') return
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
