import { afterEach } from 'vitest'

/** A list of functions that run after each test of the file, the last added first. Call it at the top of a test file. */
export function closeAfterEach(): (() => unknown)[] {
  const closers: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  return closers
}
