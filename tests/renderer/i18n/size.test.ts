import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readTexts, textLanguages } from '../../../resources/scripts/i18n.ts'
import { allGroups, groupOf, type TextGroup, textGroups } from '../../../src-renderer/i18n/groups.ts'
import { loadTexts } from '../../../src-renderer/i18n/language.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Of what every page shows and one further group, bytes. */
const most = 60_000

/** The folders whose pages load each group. Other files use its texts where `WithTexts` is around them, or in titles of commands. */
const folders: Record<TextGroup, readonly string[]> = {
  proxy: ['features/proxy/'],
  usage: ['features/usage/', 'features/keys/'],
  media: ['features/speech/', 'features/transcription/', 'features/images/'],
  // Notes are shown by `showNote`, in English until their texts are there.
  notes: [],
  settings: ['features/settings/', 'app/shell/settingsCommands.ts', 'app/shell/DataNotice.tsx', 'app/start.tsx'],
}

describe('texts that are loaded together', () => {
  it.each(textLanguages)(
    'have at most 60 kB compressed in %s: those of every page, and those of any one page',
    async (language) => {
      const files = await readTexts(language)
      const size = (group: TextGroup | null): number => {
        const own = [...files].filter(([file]) => !file.includes('/') && groupOf(file.replace('.ts', '')) === group)
        // Texts with their keys, as the build writes them.
        return gzipSync(JSON.stringify(own.map(([file, texts]) => [file, nested(texts)])), { level: 9 }).length
      }
      const first = size(null)
      for (const group of allGroups) expect(first + size(group), group).toBeLessThan(most)
    },
  )

  it('are read alone, by their group', async () => {
    const loaded: string[] = []
    const file = (name: string) => async () => {
      loaded.push(name)
      return { [name]: { ok: name } }
    }
    const files = { './de/chat.ts': file('chat'), './de/proxy.ts': file('proxy'), './de/data.ts': file('data') }
    await loadTexts(files, 'de', (namespace) => groupOf(namespace) === null)
    expect(loaded).toEqual(['chat'])
    await loadTexts(files, 'de', (namespace) => groupOf(namespace) === 'proxy')
    expect(loaded).toEqual(['chat', 'proxy'])
  })

  it('are used by the pages that load them, and by no other', () => {
    const sources = readdirSync(join(root, 'src-renderer'), { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('i18n/'))
    const faults = sources.flatMap((name) => {
      const source = readFileSync(join(root, 'src-renderer', name), 'utf8')
      const hooks = [...source.matchAll(/(?:useTranslation|getFixedT)\(([^)]*)\)/g)].flatMap(([, given = '']) =>
        [...given.matchAll(/'(\w+)'/g)].map(([, one = '']) => one),
      )
      const keys = [...source.matchAll(/\bt\([^)]*?['`](\w+):/g)].map(([, one = '']) => one)
      return allGroups
        .filter((group) => !folders[group].some((folder) => name.startsWith(folder)))
        .filter((group) => [...hooks, ...keys].some((one) => groupOf(one) === group))
        .map((group) => `${name}: ${group}`)
    })
    expect(faults).toEqual([])
  })

  it('exist in English', () => {
    const names = globSync('*.ts', { cwd: join(root, 'src-renderer/i18n/en') }).map((file) => file.replace('.ts', ''))
    for (const group of allGroups) for (const namespace of textGroups[group]) expect(names).toContain(namespace)
  })
})

/** Texts by dotted keys as the objects of their file. */
function nested(texts: ReadonlyMap<string, string>): object {
  const tree: Record<string, unknown> = {}
  for (const [key, text] of texts) {
    const parts = key.split('.')
    let place = tree
    for (const part of parts.slice(0, -1)) {
      place[part] ??= {}
      place = place[part] as Record<string, unknown>
    }
    place[parts.at(-1) ?? ''] = text
  }
  return tree
}
