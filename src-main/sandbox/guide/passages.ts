import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

/** Address of a page of the guide in the help of the window. */
export const helpLink = (page: string, anchor: string): string =>
  `inference-studio://help/${page}${anchor === '' ? '' : `#${anchor}`}`

/** A part of a text that can be quoted on its own. */
export interface Quotable {
  /** Searched with more weight than the text. */
  heading: string
  /** Markdown. */
  text: string
}

/** A passage of the guide. */
export interface GuidePassage extends Quotable {
  /** Name of the file without `.md`. */
  page: string
  /** Titles of the page and of the section. */
  title: string
  /** Id of the section as in GitHub's links; empty for the beginning of the page. */
  anchor: string
}

/** The built program has a copy of the guide beside its code. */
const folders = ['../docs/guide/', '../../../docs/guide/']

let loaded: PassageIndex<GuidePassage> | null = null

/** The guide, which is read when the first question arrives. */
export function guideIndex(): PassageIndex<GuidePassage> {
  loaded ??= new PassageIndex(readGuide())
  return loaded
}

function readGuide(): GuidePassage[] {
  const places = folders.map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
  const folder = places.find((place) => existsSync(place))
  if (folder === undefined) throw new Error(`The guide is in none of these folders: ${places.join(', ')}`)
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .flatMap((file) => guidePassages(file.slice(0, -3), readFileSync(folder + file, 'utf8')))
}

/** Splits a page at its headings, empty lines, list items and table rows. */
export function guidePassages(page: string, markdown: string): GuidePassage[] {
  let pageTitle = page
  let section = ''
  const passages: GuidePassage[] = []
  const add = (text: string): void => {
    const lead = /^(?:- )?\*\*(.+?)\*\*/.exec(text)?.[1] ?? ''
    passages.push({
      page,
      anchor: anchorOf(section),
      title: section === '' ? pageTitle : `${pageTitle} › ${section}`,
      heading: [pageTitle, section, lead].join('\n'),
      text: linked(page, unwrapped(text)),
    })
  }
  for (const block of joinedLeads(blocksOf(markdown))) {
    // A picture has no words to quote.
    if (block.startsWith('![')) continue
    const [, marks, title] = /^(#+) (.*)$/.exec(block) ?? []
    if (title === undefined) for (const text of partsOf(block)) add(text)
    else if (marks === '#') pageTitle = title
    else section = title
  }
  return passages
}

/** Blocks between empty lines. Code belongs to the text before it, because it is an example of it. */
function blocksOf(markdown: string): string[] {
  const blocks: string[] = []
  let inCode = false
  let open = false
  for (const line of markdown.split('\n')) {
    const fence = line.trimStart().startsWith('```')
    if (line.trim() === '' && !inCode) open = false
    else if (blocks.length > 0 && (open || inCode || (fence && !blocks.at(-1)?.startsWith('#'))))
      blocks[blocks.length - 1] += `${open || inCode ? '\n' : '\n\n'}${line}`
    else blocks.push(line)
    if (line.trim() !== '' || inCode) open = true
    if (fence) inCode = !inCode
  }
  return blocks
}

/** A sentence that ends with a colon and the list below it are one block. */
function joinedLeads(blocks: readonly string[]): string[] {
  const joined: string[] = []
  for (const block of blocks) {
    const before = joined.at(-1)
    if (before?.endsWith(':') && /^(?:- |\d+\. )/.test(block)) joined[joined.length - 1] = `${before}\n\n${block}`
    else joined.push(block)
  }
  return joined
}

/** The items of a list, and each row of a table below its head. Numbered steps stay together. */
function partsOf(block: string): string[] {
  if (block.startsWith('- ')) return block.split(/\n(?=- )/)
  const lines = block.split('\n')
  const [head = '', rule = '', ...rows] = lines
  if (/^\|[-:| ]+\|$/.test(rule)) return rows.map((row) => [head, rule, row].join('\n'))
  return [block]
}

/** One line for each paragraph and list item, as it is shown. Code and tables stay as they are. */
const unwrapped = (text: string): string =>
  text.includes('```') ? text : text.replace(/(?<=\S)\n[ \t]*(?=\S)(?![-|]|\d+\. )/g, ' ')

/** Makes links to other pages lead to the help. Links to other files of the repository become plain text. */
function linked(page: string, text: string): string {
  return text.replace(/\[([^\]]*)\]\(([^)\s]*)\)/g, (link, words: string, to: string) => {
    const [, file, anchor = ''] = /^(?:([\w-]+)\.md)?(?:#([\w-]+))?$/.exec(to) ?? []
    if (to.includes('://')) return link
    return file === undefined && anchor === '' ? words : `[${words}](${helpLink(file ?? page, anchor)})`
  })
}

/** The id of a heading in GitHub's links. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- ]/gu, '')
    .replaceAll(' ', '-')

/** Weight of a passage that says that the answer is in another place. */
const refersElsewhere = 0.6

export interface Hit<P extends Quotable> {
  passage: P
  /** Larger is better. Comparable within one index only. */
  score: number
  /** How much of the question the passage has, 0 to 1. Rare words count more. */
  coverage: number
}

/** Other words for the same thing. A passage with one of them fits half as well as one with the word itself. */
const alike = [
  'connect link integrate hook configure setup "set up" add',
  'delete remove erase clear wipe discard',
  'export save download',
  'import bring migrate move load',
  'cost price spend expensive money charge pay bill',
  'budget limit cap quota maximum',
  'image picture photo draw paint',
  'document file pdf attach upload',
  'speech voice speak talk aloud',
  'transcribe transcription dictate transcript recording',
  'store keep kept save location folder data',
  'send sent share leak telemetry track privacy private',
  'keychain keyring password secret',
  'program app agent editor client',
  'shortcut hotkey keyboard',
  'sync synchronise synchronize',
  'update upgrade version',
  'error fail problem wrong',
  'edit change modify',
  'stop cancel interrupt abort',
  'search find look',
  'summarise summarize summary shorten',
  'translate translation language',
  'backup copy restore',
  'computer machine laptop device',
  'preview show',
  'offline network internet',
].map((line) => line.match(/"[^"]+"|\S+/g) ?? [])

/** A word without its usual endings, which finds its group. The full-text search has better stems. */
const rough = (word: string): string => word.replace(/(?:ings?|ed|es|s|e)$/, '')

const alternatives = new Map<string, string[]>()
for (const group of alike) {
  for (const word of group) {
    const others = group.filter((one) => one !== word)
    alternatives.set(rough(word), [...(alternatives.get(rough(word)) ?? []), ...others])
  }
}

/** Words of a question that say nothing about what it is about. */
const stopWords = new Set(
  `a about again all also am an and another any anyone anything anywhere are as ask at be been but by can could did do does doing done else ever for from
  get give go good had has have hello help her here hey hi him how i if in inference into is isn it its just know let like make many may me
  mean might much my need no not now of off ok okay on one only or other our out over people please question really s say see she should
  show so some something studio t tell than thank thanks that the their them then there these they thing this those to too try under up us
  use used using very want was way we well were what when where which while who why will with work works would yes you your`
    .split(/\s+/)
    .filter(Boolean),
)

/** At most this many words of a question are searched. */
const maxWords = 24

/** The words of a question that a search can use, in lower case. */
export function searchWords(question: string): string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const meaning = words.filter((word) => !stopWords.has(word) && (word.length > 1 || /\P{ASCII}/u.test(word)))
  return [...new Set(meaning)].slice(0, maxWords)
}

/** Full-text search over passages, in memory. English word endings do not matter. */
export class PassageIndex<P extends Quotable> {
  readonly #passages: readonly P[]
  readonly #database = new DatabaseSync(':memory:')
  readonly #match

  constructor(passages: readonly P[]) {
    this.#passages = passages
    const database = this.#database
    database.exec("CREATE VIRTUAL TABLE passages USING fts5 (heading, text, tokenize = 'porter unicode61')")
    const insert = database.prepare('INSERT INTO passages (rowid, heading, text) VALUES (?, ?, ?)')
    database.exec('BEGIN')
    for (const [at, { heading, text }] of passages.entries()) insert.run(at, heading, text)
    database.exec('COMMIT')
    this.#match = database.prepare(
      'SELECT rowid AS at, -bm25(passages, 3, 1) AS score FROM passages WHERE passages MATCH ?',
    )
  }

  close(): void {
    this.#database.close()
  }

  /** The passages with any of the words, best first. */
  search(words: readonly string[]): Hit<P>[] {
    const hits = new Map<number, { score: number; found: number }>()
    let whole = 0
    for (const word of words) {
      const exact = this.#rows([word])
      const others = this.#rows(alternatives.get(rough(word)) ?? [])
      const weight = Math.log(1 + this.#passages.length / (1 + exact.size))
      whole += weight
      for (const [rows, part] of [
        [exact, 1],
        [others, 0.5],
      ] as const) {
        for (const [at, score] of rows) {
          if (part < 1 && exact.has(at)) continue
          const hit = hits.get(at) ?? { score: 0, found: 0 }
          hits.set(at, { score: hit.score + score * part, found: hit.found + weight * part })
        }
      }
    }
    return [...hits]
      .flatMap(([at, { score, found }]) => {
        const passage = this.#passages[at]
        if (!passage) return []
        const refers = /\bsee below\b/i.test(passage.text) ? refersElsewhere : 1
        return [{ passage, score: score * refers * (found / whole), coverage: found / whole }]
      })
      .sort((a, b) => b.score - a.score)
  }

  /** Passages with any of these words, and how well each fits. */
  #rows(words: readonly string[]): Map<number, number> {
    if (words.length === 0) return new Map()
    const query = words.map((word) => `"${word.replaceAll('"', '')}"`).join(' OR ')
    return new Map(this.#match.all(query).map(({ at, score }) => [Number(at), Number(score)]))
  }
}
