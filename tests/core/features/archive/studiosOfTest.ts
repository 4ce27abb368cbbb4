import { afterEach } from 'vitest'
import { openStudio, type Studio } from './studio.ts'

/** Opens studios for the tests of a file, and closes them after each test. */
export function studiosOfTest() {
  let open: Studio[] = []
  const close = async (one: Studio): Promise<void> => {
    open = open.filter((other) => other !== one)
    await one.close()
  }
  afterEach(async () => {
    for (const one of [...open]) await close(one)
  })
  const studio = (...given: Parameters<typeof openStudio>): Studio => {
    const opened = openStudio(...given)
    open.push(opened)
    return opened
  }
  return { studio, close }
}
