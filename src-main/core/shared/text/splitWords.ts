/** A word as the index holds it, and where it stands in the text as it was written (UTF-16 units). */
export interface Word {
  folded: string
  start: number
  end: number
  /** Whether the next word follows without anything between: in scripts without spaces each character is a word. */
  joined: boolean
}

/** What belongs to words; a pictograph is a word by itself, everything else stands between words. */
const runs = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu
const plain = /^[A-Za-z0-9]+$/
/**
 * What is folded as one: a Hangul syllable in parts, a half-width kana with its voice mark, or a character with the marks upon it.
 */
const clusters = /[\u1100-\u115f][\u1160-\u11a7]?[\u11a8-\u11ff]?|[\uff66-\uff9d][\uff9e\uff9f]|.\p{M}*/gsu
/**
 * Scripts that write no spaces between words; Hangul too, whose endings hang on to words. Marks of these scripts stay with what they stand on.
 */
const alone =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Javanese}\p{Script=Balinese}\p{Script=Tai_Le}\p{Script=New_Tai_Lue}\p{Script=Tai_Tham}\p{Script=Tai_Viet}\p{Script=Cham}\u30fc]/u
/** Accents over Latin, Greek and Cyrillic, Hebrew points, Arabic vowel signs and the stroke that only widens a word. */
const accents =
  /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u0640]/gu
const noWord = /[^\p{L}\p{N}\p{M}]/gu
/** Letters with a stroke or in one piece, which Unicode does not take apart. */
const pieces: Record<string, string> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ħ: 'h',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ð: 'd',
  ı: 'i',
  ς: 'σ',
}
const inPieces = /[øłđħæœþðıς]/gu

/** Longer words (a hash, a line of base64) are told by their beginning. */
const longest = 64
const known = new Map<string, string>()

/**
 * The words of a text from `from` on, one after another, so that whoever has found enough can stop. The only place where text is folded: the
 * index, what people type and the marks in a snippet all come from here. Folded is: compatibility forms (NFKC), case, accents.
 */
export function* words(text: string, from = 0): Generator<Word, undefined> {
  runs.lastIndex = from
  // The expression is shared and its place is its own: whoever stops early, or reads two texts at once, must not move it for others.
  for (let next = runs.lastIndex; ; ) {
    runs.lastIndex = next
    const run = runs.exec(text)
    if (!run) return
    next = runs.lastIndex
    const [found] = run
    if (plain.test(found)) {
      const folded = found.toLowerCase().slice(0, longest)
      yield { folded, start: run.index, end: next, joined: false }
    } else yield* split(found, run.index)
  }
}

/** The same, as the index takes it. */
export function indexable(text: string): string {
  let body = ''
  for (const { folded } of words(text)) body += body === '' ? folded : ` ${folded}`
  return body
}

/** The same with a space before and after, as `needles` of a query are looked for in it. Empty where there is no word. */
export function searchable(text: string): string {
  const body = indexable(text)
  return body === '' ? '' : ` ${body} `
}

function* split(run: string, at: number): Generator<Word, undefined> {
  let word = ''
  let start = at
  let held: Word | null = null
  for (const match of run.matchAll(clusters)) {
    const folded = fold(match[0])
    const here = at + match.index
    const end = here + match[0].length
    if (folded === '') continue
    if (alone.test(folded) || !within(folded)) {
      if (word !== '') held = yield* pass(held, { folded: word, start, end: here, joined: true })
      word = ''
      held = yield* pass(held, { folded: folded.slice(0, longest), start: here, end, joined: true })
    } else {
      if (word === '') start = here
      if (word.length < longest) word = (word + folded).slice(0, longest)
    }
  }
  if (word !== '') held = yield* pass(held, { folded: word, start, end: at + run.length, joined: true })
  if (held) yield { ...held, joined: false }
}

/** One word late, since the last of a run is joined to nothing. */
function* pass(held: Word | null, next: Word): Generator<Word, Word> {
  if (held) yield held
  return next
}

/** Whether a folded word is one character of a script without spaces: nothing can begin with it. */
export const standsAlone = (folded: string): boolean => alone.test(folded) || !within(folded)

/** A pictograph is no part of a word. */
const within = (folded: string): boolean => !/^\p{Extended_Pictographic}/u.test(folded)

function fold(cluster: string): string {
  const before = known.get(cluster)
  if (before !== undefined) return before
  const bare = cluster.normalize('NFKD').replace(accents, '').normalize('NFC')
  // Up, then down: the full mapping of case, in which ß is ss.
  const lower = bare
    .toUpperCase()
    .toLowerCase()
    .replace(accents, '')
    .replace(inPieces, (letter) => pieces[letter] ?? '')
  const folded = within(lower) ? lower.replace(noWord, '') : lower
  if (known.size > 20_000) known.clear()
  known.set(cluster, folded)
  return folded
}
