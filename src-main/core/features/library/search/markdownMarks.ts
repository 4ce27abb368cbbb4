/** A range of a text, UTF-16 units. */
export interface TextRange {
  start: number
  end: number
}

/**
 * Marks of Markdown that an excerpt does not show. Each expression has one group per mark, with the flag `d` for their positions. A mark
 * needs its partner, or code such as `a * b` would lose characters. The expressions are bounded, because the text is hostile.
 */
const marks: readonly RegExp[] = [
  // Headings, quotes, list items and the lines around code.
  /^[ \t]{0,3}((?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)/dgm,
  /^[ \t]{0,3}((?:`{3,}|~{3,})[\w+#.-]{0,30})[ \t]*$/dgm,
  // The line below the head of a table, and its cells.
  /^([ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*){0,30}\|?[ \t]*)$/dgm,
  /^[ \t]*(\|)(?=.*\|[ \t]*$)/dgm,
  /(\|)[ \t]*$/dgm,
  // Links and images: the text stays.
  /(!?\[)[^[\]\n]{0,300}(\]\([^()\s]{0,300}(?:[ \t]"[^"\n]{0,100}")?\))/dg,
  /(\*{1,3})(?=\S)[^*\n]{1,300}?(?<=\S)(\1)(?!\*)/dg,
  /(~~)(?=\S)[^~\n]{1,300}?(?<=\S)(\1)/dg,
  /(?<!`)(`{1,2})(?!`)[^`\n]{1,300}?(\1)(?!`)/dg,
  /(?<![\p{L}\p{N}_])(_{1,2})(?=[^\s_])[^_\n]{1,300}?(?<=[^\s_])(\1)(?![\p{L}\p{N}_])/dgu,
  // The end or the beginning of bold text that the excerpt cuts.
  /(\*\*)(?=[\p{L}\p{N}])/dgu,
  /(?<=[\p{L}\p{N}.,:;!?])(\*\*)/dgu,
]

/** Names such as `__init__` are code. */
const isName = (text: string): boolean => /^__\w+__$/.test(text)

/**
 * The marks of Markdown in a part of a text, in order and without overlaps.
 * @param start where the part begins; a mark that needs the beginning of a line is found there only after a line break
 */
export function markdownMarks(text: string, start: number, end: number): TextRange[] {
  // The character before shows whether a line begins.
  const from = Math.max(0, start - 1)
  const part = text.slice(from, end)
  const found: TextRange[] = []
  for (const mark of marks) {
    for (const match of part.matchAll(mark)) {
      if (isName(match[0])) continue
      for (const range of match.indices?.slice(1) ?? []) {
        if (range) found.push({ start: Math.max(start, from + range[0]), end: from + range[1] })
      }
    }
  }
  const ordered = found.filter((range) => range.end > range.start).sort((a, b) => a.start - b.start || a.end - b.end)
  const joined: TextRange[] = []
  for (const range of ordered) {
    const last = joined.at(-1)
    if (last && range.start <= last.end) last.end = Math.max(last.end, range.end)
    else joined.push({ ...range })
  }
  return joined
}
