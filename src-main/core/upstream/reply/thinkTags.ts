/** A part of a text that belongs to the thinking or to the answer. */
export interface SaidPart {
  type: 'content' | 'reasoning'
  text: string
}

const opening = '<think>'
const closing = '</think>'
/** Most white space before the opening tag. A text that begins with more has no thinking. */
const maxBefore = 64
/** Most white space before the closing tag that is left out. It is held back until it is known what follows. */
const maxAfter = 16

/**
 * Separates thinking from the answer in the text of one choice, which arrives in any pieces. Models whose server has no parser for their
 * reasoning write it as `<think>…</think>` at the start of their text. Such tags anywhere else are text, and an unclosed tag is
 * thinking to the end. White space beside the tags is left out.
 */
export class ThinkTags {
  #state: 'start' | 'thinking' | 'answer' = 'start'
  /** Text that may be the beginning of a tag, with the white space before it. */
  #held = ''
  /** Nothing but white space came since the last tag. */
  #isBlank = false

  /** Whether all further text is a part of the answer, unchanged. */
  get isOver(): boolean {
    return this.#state === 'answer' && !this.#isBlank
  }

  push(text: string): SaidPart[] {
    const all = this.#held + text
    this.#held = ''
    if (this.#state === 'start') return this.#begin(all)
    return this.#state === 'thinking' ? this.#think(all) : this.#say('content', all)
  }

  /** What is held back. Call before other output, and when the text has ended. No tag can follow at the start. */
  flush(): SaidPart[] {
    const held = this.#held
    this.#held = ''
    if (this.#state === 'thinking') return this.#say('reasoning', held)
    this.#state = 'answer'
    return this.#say('content', held)
  }

  #begin(text: string): SaidPart[] {
    const begun = text.trimStart()
    const mayBegin = text.length - begun.length <= maxBefore
    if (mayBegin && begun.startsWith(opening)) {
      this.#state = 'thinking'
      this.#isBlank = true
      return this.#think(begun.slice(opening.length))
    }
    if (mayBegin && opening.startsWith(begun)) this.#held = text
    else this.#state = 'answer'
    return this.#say('content', this.#held === '' ? text : '')
  }

  #think(text: string): SaidPart[] {
    const at = text.indexOf(closing)
    if (at === -1) {
      const end = startOfBlank(text, text.length - begunTag(text))
      this.#held = text.slice(end)
      return this.#say('reasoning', text.slice(0, end))
    }
    const thought = this.#say('reasoning', text.slice(0, startOfBlank(text, at)))
    this.#state = 'answer'
    this.#isBlank = true
    return [...thought, ...this.#say('content', text.slice(at + closing.length))]
  }

  #say(type: SaidPart['type'], given: string): SaidPart[] {
    const text = this.#isBlank ? given.trimStart() : given
    if (text === '') return none
    this.#isBlank = false
    return [{ type, text }]
  }
}

const none: SaidPart[] = []

/** Length of the beginning of the closing tag with which the text ends. */
function begunTag(text: string): number {
  const at = text.lastIndexOf('<')
  return at !== -1 && closing.startsWith(text.slice(at)) ? text.length - at : 0
}

/** The offset of the white space that ends at `end`, at most `maxAfter` before it. */
function startOfBlank(text: string, end: number): number {
  let at = end
  while (at > 0 && end - at < maxAfter && text[at - 1]?.trim() === '') at--
  return at
}
