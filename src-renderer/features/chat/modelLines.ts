import type { Model } from '../../../src-preload/contract/models.ts'
import { type FactsById, isTestModel } from '../../stores/modelFacts.ts'

export type ModelSection = 'recent' | 'favourites' | 'all'

export type ModelLine = { line: 'heading'; section: ModelSection } | { line: 'model'; model: Model; key: string }

/** Number of models under Recent. */
const recentShown = 5

export interface ModelLines {
  lines: ModelLine[]
  /** Number of models in the lines, each counted once. */
  shown: number
  /** Number of models left out because they are not for chats. */
  hidden: number
  /** Number of test models left out. */
  hiddenTests: number
}

/**
 * The lines of the model list. Without a search: Recent, Favourites, All. With one: the matches, exact names first, then beginnings, then
 * recent ones. A selected model or a favourite is never omitted. Test models appear when they match a search or have replied.
 */
export function modelLines(options: {
  models: readonly Model[]
  facts: FactsById
  search: string
  picked: readonly string[]
  showAll: boolean
  showTests: boolean
}): ModelLines {
  const { models, facts, search, picked, showAll, showTests } = options
  const searches = search.trim() !== ''
  const matches = matching(models, search)
  const isWanted = ({ id }: Model): boolean => Boolean(facts.get(id)?.favourite) || picked.includes(id)
  const forChats = matches.filter((model) => showAll || !facts.get(model.id)?.notForChat || isWanted(model))
  const shown = forChats.filter(
    (model) => showTests || searches || !isTestModel(model) || facts.get(model.id)?.repliedAt || isWanted(model),
  )
  const counts = {
    shown: shown.length,
    hidden: matches.length - forChats.length,
    hiddenTests: forChats.length - shown.length,
  }
  const recent = shown
    .filter(({ id }) => facts.get(id)?.repliedAt)
    .sort((a, b) => (repliedAt(b) < repliedAt(a) ? -1 : 1))
  function repliedAt({ id }: Model): string {
    return facts.get(id)?.repliedAt ?? ''
  }
  if (searches) {
    const ranked = [...recent, ...shown.filter((model) => !recent.includes(model))]
    ranked.sort((a, b) => rank(a.id, search) - rank(b.id, search))
    return { lines: ranked.map((model) => lineOf('all', model)), ...counts }
  }
  const sections: [ModelSection, Model[]][] = [
    ['recent', recent.slice(0, recentShown)],
    ['favourites', shown.filter(({ id }) => facts.get(id)?.favourite)],
    ['all', shown],
  ]
  const filled = sections.filter(([, its]) => its.length > 0)
  // One section needs no heading.
  if (filled.length < 2) return { lines: shown.map((model) => lineOf('all', model)), ...counts }
  const lines = filled.flatMap(([section, its]) => [
    { line: 'heading', section } as const,
    ...its.map((model) => lineOf(section, model)),
  ])
  return { lines, ...counts }
}

const lineOf = (section: ModelSection, model: Model): ModelLine => ({
  line: 'model',
  model,
  key: `${section} ${model.id}`,
})

/** Models whose name contains every search term. */
function matching(models: readonly Model[], search: string): Model[] {
  const parts = search.toLowerCase().split(/\s+/).filter(Boolean)
  return models.filter(({ id }) => parts.every((part) => id.toLowerCase().includes(part)))
}

/** 0: the whole name. 1: its beginning, also after the vendor. 2: the beginning of a word. 3: anywhere. */
function rank(id: string, search: string): number {
  const name = id.toLowerCase()
  const wanted = search.trim().toLowerCase()
  const own = name.slice(name.lastIndexOf('/') + 1)
  if (name === wanted || own === wanted) return 0
  if (name.startsWith(wanted) || own.startsWith(wanted)) return 1
  return name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(wanted)) ? 2 : 3
}

/** The next line with a model, or `at` when there is none in that direction. */
export function modelAfter(lines: readonly ModelLine[], at: number, step: 1 | -1): number {
  for (let next = at + step; next >= 0 && next < lines.length; next += step)
    if (lines[next]?.line === 'model') return next
  return at
}
