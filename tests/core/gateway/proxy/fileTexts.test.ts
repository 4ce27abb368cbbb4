import { describe, expect, it } from 'vitest'
import type { FileTexts, UnreadFile } from '../../../../src-main/core/gateway/dialects/requestFiles.ts'
import { type FileTextBounds, RequestFileTexts } from '../../../../src-main/core/gateway/proxy/fileTexts.ts'
import type { FileReader } from '../../../../src-main/core/ports/fileReader.ts'

const never = new AbortController().signal
const file = (name: string): UnreadFile => ({ id: name, bytes: Buffer.from(name), name })

/** Texts of a converter whose files named `slow` are never read. */
function open(bounds: Partial<FileTextBounds> = {}, textOf = (name: string) => `text of ${name}`) {
  const read: string[] = []
  const openReader = (): FileReader => {
    let end: (error: Error) => void = () => undefined
    return {
      read: ({ name }) => {
        read.push(name)
        return new Promise((resolve, reject) => {
          end = reject
          if (!name.startsWith('slow')) resolve(textOf(name))
        })
      },
      terminate: async () => end(new Error('The converter has ended.')),
    }
  }
  const texts = new RequestFileTexts(openReader, bounds)
  /** What a request of an app with these files gets. */
  async function ask(app: string, names: readonly string[], signal = never) {
    const got = await texts.translated<{ given: FileTexts | undefined }>(app, signal, (given) =>
      given === undefined ? { unread: names.map(file) } : { given },
    )
    return names.map((name) => got.given?.get(name))
  }
  return { read, ask, close: texts.terminate }
}

describe('texts of files in requests', () => {
  it('are read for one app although other apps keep every converter busy, and what was stopped says so', async () => {
    const { read, ask, close } = open({ readers: 2, shareMs: 50 })
    const first = ask('a', ['slow 1'])
    const second = ask('b', ['slow 2'])
    expect(await ask('c', ['quick'])).toEqual([{ text: 'text of quick', problem: null }])
    // The stopped one was tried once more. It gives way again when the next app needs a converter.
    expect(await ask('d', ['quick'])).toEqual([{ text: 'text of quick', problem: null }])
    expect(read.filter((name) => name === 'quick')).toHaveLength(2)
    await close()
    const ends = await Promise.allSettled([first, second])
    for (const end of ends) {
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ kind: 'cancelled' })
      else expect(end.value[0]?.problem).toMatch(/^There was no time/)
    }
  })

  it('end with their request', async () => {
    const { ask, close } = open()
    const gone = new AbortController()
    const asked = ask('a', ['slow'], gone.signal)
    gone.abort()
    await expect(asked).rejects.toMatchObject({ kind: 'cancelled' })
    expect(await ask('a', ['quick'])).toEqual([{ text: 'text of quick', problem: null }])
    await close()
  })

  it('are no longer read once a request has waited long enough', async () => {
    const { read, ask, close } = open({ requestMs: -1 })
    const [text] = await ask('a', ['quick'])
    expect(text?.problem).toMatch(/^There was no time/)
    expect(read).toEqual([])
    await close()
  })

  it('are kept up to a length for each app, and for some apps, those that were used last', async () => {
    const { read, ask, close } = open({ perApp: 10_000, apps: 2 }, () => 'x'.repeat(3000))
    await ask('a', ['1', '2'])
    // Each counts 4,000, so the third pushes out the first, unless that was used since.
    await ask('a', ['1'])
    await ask('a', ['3'])
    await ask('a', ['1', '3'])
    expect(read).toEqual(['1', '2', '3'])
    await ask('a', ['2'])
    expect(read).toHaveLength(4)
    await ask('b', ['1'])
    await ask('c', ['1'])
    await ask('a', ['2'])
    expect(read).toHaveLength(7)
    await close()
  })
})
