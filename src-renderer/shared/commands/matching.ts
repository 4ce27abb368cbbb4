import * as fuzzysort from 'fuzzysort'
import { folded } from '../looseText.ts'
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
  settings: readonly Entry[]
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
    settings: of('settings'),
    recent,
  }
}

function entryOf(source: CommandSource, { id, title, beside }: Thing): Entry {
  const entry = { id: `${source.id}:${id}`, group: source.id, title, run: () => source.run(id) }
  return beside === undefined ? entry : { ...entry, beside }
}

const recentShown = 6
const chatsShown = 30
const maxPerKind = 60
/** Limit of fuzzy matches that are ranked. Exact words count more than the score of the fuzzy search. */
const maxRanked = 500

const kinds = ['commands', 'chats', 'models', 'settings'] as const

/** Creates the search over a catalogue. Preparing costs about 10 ms for 10,000 titles and happens at the first letter. */
export function finder(entries: PaletteCatalogue) {
  const { commands, chats, models, settings, recent } = entries
  let prepared: ReturnType<typeof prepare> | null = null
  const prepare = () => {
    const of = (kind: (typeof kinds)[number]) => fuzzysort.snapshot(entries[kind], { key: 'title' })
    return { commands: of('commands'), chats: of('chats'), models: of('models'), settings: of('settings') }
  }
  const place = new Map(recent.map((id, at) => [id, recent.length - at]))
  /** Recently used entries precede others with a similar score. */
  const bonus = (id: string): number => ((place.get(id) ?? 0) / Math.max(1, recent.length)) * 0.08

  const everything = (): PaletteLine[] => {
    const byId = new Map([...commands, ...chats, ...models, ...settings].map((entry) => [entry.id, entry]))
    const latest = recent.flatMap((id) => byId.get(id) ?? []).slice(0, recentShown)
    const ordered = ['go', ...groups.filter((group) => group !== 'go')] as const
    return [
      ...section('recent', latest),
      ...ordered.flatMap((group) =>
        section(
          group,
          commands.filter((entry) => entry.group === group),
        ),
      ),
      ...section('chats', chats.slice(0, chatsShown)),
      ...section('models', models),
      ...section('settings', settings),
    ]
  }
  const matching = (text: string): PaletteLine[] => {
    prepared ??= prepare()
    const snapshots = prepared
    const words = wordsOf(text)
    const found = kinds.map((kind) => {
      const results = fuzzysort
        .go(text, snapshots[kind], { limit: maxRanked, threshold: 0.3 })
        .map(({ obj: entry, indexes: marks, score }) => {
          const close = closeness(entry.title, text, words)
          return { entry, marks, close, score: close * 2 + score + bonus(entry.id) }
        })
        .sort((a, b) => b.score - a.score)
        .slice(0, maxPerKind)
      return { kind, results }
    })
    // The group with the best match is first, so that Enter runs the intended entry.
    found.sort((a, b) => (b.results[0]?.score ?? 0) - (a.results[0]?.score ?? 0))
    const hasWords = found.some(({ results }) => results.some(({ close }) => close >= 2))
    return found.flatMap(({ kind, results: all }) => {
      // Scattered letters help against typing errors. Beside titles with the searched words, they are noise.
      const results = hasWords ? all.filter(({ close }) => close > 0) : all
      if (kind !== 'commands')
        return results.length > 0 ? [{ line: 'heading', group: kind } as const, ...results.map(line)] : []
      const groups = [...new Set(results.map(({ entry }) => entry.group))]
      return groups.flatMap((group) => [
        { line: 'heading', group } as const,
        ...results.filter(({ entry }) => entry.group === group).map(line),
      ])
    })
  }
  return (text: string): PaletteLine[] => (text.trim() === '' ? everything() : matching(text.trim()))
}

const wordsOf = (text: string): string[] =>
  folded(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/**
 * 4: every searched word is a word of the title, which begins with the searched text. 3: every searched word is a word of the title. 2: every
 * searched word begins one. 1: the title contains the searched text. 0: only letters match. A fuzzy score and the bonus are below 2 together,
 * so a closer match always comes first.
 */
function closeness(title: string, text: string, searched: readonly string[]): number {
  const written = folded(title)
  const typed = folded(text)
  const words = wordsOf(title)
  if (searched.length > 0 && searched.every((word) => words.includes(word))) return written.startsWith(typed) ? 4 : 3
  if (searched.length > 0 && searched.every((word) => words.some((one) => one.startsWith(word)))) return 2
  return written.includes(typed) ? 1 : 0
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
