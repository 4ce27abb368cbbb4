import * as fuzzysort from 'fuzzysort'
import { type Command, groups, isPossible } from './registry.ts'
import type { CommandSource, Thing } from './sources.ts'

export type PaletteGroup = 'recent' | Command['group'] | CommandSource['id']

/** A line that can be chosen. `id` is unique over all groups, for example `chats:UUID`. */
export interface Entry {
  id: string
  group: Exclude<PaletteGroup, 'recent'>
  title: string
  beside?: string
  run: () => void
}

export type PaletteLine =
  | { line: 'heading'; group: PaletteGroup }
  /** `marks` are the matching positions in the title. */
  | { line: 'entry'; entry: Entry; marks: readonly number[] }

export interface PaletteCatalogue {
  commands: readonly Entry[]
  chats: readonly Entry[]
  models: readonly Entry[]
  /** Ids of entries, latest first. */
  recent: readonly string[]
}

export function catalogue(
  commands: Iterable<Command>,
  sources: readonly CommandSource[],
  recent: readonly string[],
): PaletteCatalogue {
  const of = (wanted: CommandSource['id']): Entry[] =>
    sources
      .filter(({ id }) => id === wanted)
      .flatMap((source) => source.things().map((thing) => entryOf(source, thing)))
  const possible = [...commands].filter(isPossible)
  return {
    commands: possible.map(({ id, group, title, run }) => ({ id, group, title, run })),
    chats: of('chats'),
    models: of('models'),
    recent,
  }
}

function entryOf(source: CommandSource, { id, title, beside }: Thing): Entry {
  const entry = { id: `${source.id}:${id}`, group: source.id, title, run: () => source.run(id) }
  return beside === undefined ? entry : { ...entry, beside }
}

const recentShown = 6
const chatsShown = 30
const maxPerGroup = 60

/** Creates the search over a catalogue. Preparing costs about 10 ms for 10,000 titles and happens at the first letter. */
export function finder({ commands, chats, models, recent }: PaletteCatalogue) {
  let prepared: ReturnType<typeof prepare> | null = null
  const prepare = () => ({
    commands: fuzzysort.snapshot(commands, { key: 'title' }),
    chats: fuzzysort.snapshot(chats, { key: 'title' }),
    models: fuzzysort.snapshot(models, { key: 'title' }),
  })
  const place = new Map(recent.map((id, at) => [id, recent.length - at]))
  /** Recently used entries precede others with a similar score. */
  const bonus = (id: string): number => ((place.get(id) ?? 0) / Math.max(1, recent.length)) * 0.08

  const everything = (): PaletteLine[] => {
    const byId = new Map([...commands, ...chats, ...models].map((entry) => [entry.id, entry]))
    const latest = recent.flatMap((id) => byId.get(id) ?? []).slice(0, recentShown)
    const lines = section('recent', latest)
    for (const group of groups)
      lines.push(
        ...section(
          group,
          commands.filter((entry) => entry.group === group),
        ),
      )
    lines.push(...section('chats', chats.slice(0, chatsShown)), ...section('models', models))
    return lines
  }
  const matching = (text: string): PaletteLine[] => {
    prepared ??= prepare()
    const found = (['commands', 'chats', 'models'] as const).map((name) => {
      const all = prepared as NonNullable<typeof prepared>
      const results = fuzzysort
        .go(text, all[name], { limit: maxPerGroup, threshold: 0.3 })
        .map((result) => ({ entry: result.obj, marks: result.indexes, score: result.score + bonus(result.obj.id) }))
        .sort((a, b) => b.score - a.score)
      return { name, results }
    })
    // The group with the best match is first, so that Enter runs the intended entry.
    found.sort((a, b) => (b.results[0]?.score ?? 0) - (a.results[0]?.score ?? 0))
    return found.flatMap(({ name, results }) => {
      if (name !== 'commands')
        return results.length > 0 ? [{ line: 'heading', group: name } as const, ...results.map(line)] : []
      const groups = [...new Set(results.map(({ entry }) => entry.group))]
      return groups.flatMap((group) => [
        { line: 'heading', group } as const,
        ...results.filter(({ entry }) => entry.group === group).map(line),
      ])
    })
  }
  return (text: string): PaletteLine[] => (text.trim() === '' ? everything() : matching(text.trim()))
}

const line = ({ entry, marks }: { entry: Entry; marks: readonly number[] }): PaletteLine => ({
  line: 'entry',
  entry,
  marks,
})

function section(group: PaletteGroup, entries: readonly Entry[]): PaletteLine[] {
  if (entries.length === 0) return []
  return [{ line: 'heading', group }, ...entries.map((entry) => line({ entry, marks: [] }))]
}

/** The next line that can be chosen, wrapping at the ends. */
export function entryAfter(lines: readonly PaletteLine[], at: number, step: 1 | -1): number {
  for (let n = 1; n <= lines.length; n++) {
    const next = (at + step * n + lines.length * 2) % lines.length
    if (lines[next]?.line === 'entry') return next
  }
  return -1
}

/** Splits a title into matching and other pieces. */
export function pieces(title: string, marks: readonly number[]): { text: string; hit: boolean }[] {
  const hits = new Set(marks)
  const found: { text: string; hit: boolean }[] = []
  for (let at = 0; at < title.length; at++) {
    const last = found.at(-1)
    const letter = title.charAt(at)
    if (last && last.hit === hits.has(at)) last.text += letter
    else found.push({ text: letter, hit: hits.has(at) })
  }
  return found
}
