/** A word in its indexed form, and its position in the original text (UTF-16 units). */
export interface Word {
  folded: string
  start: number
  end: number
  /** Whether the next word follows directly: in scripts without spaces each character is a word. */
  joined: boolean
}

/**
 * Characters of words. A pictograph is a word by itself; all other characters separate words. U+21AE, which is no pictograph, is the only
 * character whose decomposed form (U+2194 U+0338) begins with one.
 */
const runs = /[\p{L}\p{N}\p{M}]+|(?!\u2194\u0338)\p{Extended_Pictographic}/gu
const plain = /^[A-Za-z0-9]+$/
/**
 * Characters that are folded together: the parts of a Hangul syllable, a half-width kana with its voice mark, or a character with its
 * combining marks.
 */
const clusters = /[\u1100-\u115f][\u1160-\u11a7]?[\u11a8-\u11ff]?|[\uff66-\uff9d][\uff9e\uff9f]|.\p{M}*/gsu
/**
 * Scripts without spaces between words, and Hangul, whose endings are attached to words. Marks of these scripts stay with their base
 * character.
 */
const alone =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Javanese}\p{Script=Balinese}\p{Script=Tai_Le}\p{Script=New_Tai_Lue}\p{Script=Tai_Tham}\p{Script=Tai_Viet}\p{Script=Cham}\u30fc]/u
/**
 * Accents of Latin, Greek and Cyrillic letters, Hebrew points, Arabic vowel signs, the stroke that only widens a word, and the selectors of
 * a pictograph's plain or colored form.
 */
const accents =
  /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe0e\ufe0f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u0640]/gu
const noWord = /[^\p{L}\p{N}\p{M}]/gu
/** Letters with a stroke and ligatures, which Unicode does not decompose. */
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

/** Longer words, such as a hash or a line of base64, are indexed by their beginning, in characters. */
const longest = 64
const known = new Map<string, string>()

/**
 * Yields the words of a text from `from` on, so that a caller which has enough can stop. The only place where text is folded: the index,
 * search queries and the marks in a snippet all use it. Folds compatibility forms (NFKC), case and accents.
 */
export function* words(text: string, from = 0): Generator<Word, undefined> {
  runs.lastIndex = from
  // The regular expression is shared, so its position is saved: another caller may be in the middle of another text.
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

/** The words of a text in the form that the index stores. */
export function indexable(text: string): string {
  let body = ''
  for (const { folded } of words(text)) body += body === '' ? folded : ` ${folded}`
  return body
}

/** The words of a text with a space before and after each, for `needles` of a query. Empty when there is no word. */
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

/** Yields each word one step late, because the last word of a run is joined to no next word. */
function* pass(held: Word | null, next: Word): Generator<Word, Word> {
  if (held) yield held
  return next
}

/** Whether a folded word is one character of a script without spaces. No longer word can begin with it. */
export const isCharacterWord = (folded: string): boolean => alone.test(folded) || !within(folded)

/** A pictograph is not part of a longer word. */
const within = (folded: string): boolean => !/^\p{Extended_Pictographic}/u.test(folded)

function fold(cluster: string): string {
  const before = known.get(cluster)
  if (before !== undefined) return before
  const bare = cluster.normalize('NFKD').replace(accents, '').normalize('NFC')
  // Upper case first, then lower case, for the full case mapping: ß becomes ss.
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
